// Names that mean this machine, its surroundings or a cloud's metadata service, whatever a resolver says of them.

const exactly: ReadonlySet<string> = new Set([
  "localhost",
  "localhost.localdomain",
  "localhost6",
  "localhost6.localdomain6",
  "ip6-localhost",
  "ip6-loopback",
  "broadcasthost",
  "host.docker.internal",
  "gateway.docker.internal",
  "kubernetes.docker.internal",
  "host.containers.internal",
  "host.lima.internal",
  "host.minikube.internal",
  "kubernetes",
  "kubernetes.default",
]);

/** With all below. `.local` is mDNS, `.svc` and `cluster.local` are a cluster's services. */
const within: readonly string[] = ["localhost", "local", "svc", "internal", "home.arpa", "in-addr.arpa", "ip6.arpa"];
const below: readonly string[] = within.map((top) => `.${top}`);

const metadata: ReadonlySet<string> = new Set([
  "metadata.google.internal",
  "metadata.goog",
  "metadata",
  "instance-data",
  "instance-data.ec2.internal",
]);

/** Credentials of the machine itself: no rule opens it. */
export function isMetadataName(name: string): boolean {
  return metadata.has(name);
}

export function isLocalName(name: string): boolean {
  return exactly.has(name) || isMetadataName(name) || within.includes(name) || below.some((end) => name.endsWith(end));
}
