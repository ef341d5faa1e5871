// What of a tree tells one machine from others, or is a place that a container has of its own: none of it may be in what many start from. Random
// seeds, ids and host keys that were made during a build would be the same in every sandbox.
import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { removeTree } from "../kit/remove-tree.ts";

/** Made once for one machine. */
const identities = [
  "etc/machine-id",
  "var/lib/dbus/machine-id",
  "var/lib/systemd/random-seed",
  "var/lib/systemd/credential.secret",
  "var/lib/urandom/random-seed",
  "etc/hostname",
  "etc/hostid",
  "etc/iscsi/initiatorname.iscsi",
  "etc/nvme/hostid",
  "etc/nvme/hostnqn",
  "etc/ssl/certs/ssl-cert-snakeoil.pem",
  "etc/ssl/private",
] as const;

const hostKey = /^ssh_host_.+$/u;

/** What a container has of its own, and what only an administrator of a whole machine uses. */
const own = ["passwd", "group", "shadow", "gshadow", "subuid", "subgid"].flatMap((name) => [`etc/${name}`, `etc/${name}-`]);
const unused = [...own, "etc/hosts", "etc/nsswitch.conf", "etc/resolv.conf", "etc/.pwd.lock", "etc/fstab", "etc/mtab", "etc/apt"];
const unusedState = [
  "var/lib/apt",
  "var/cache/apt",
  "var/cache/debconf",
  "var/cache/ldconfig",
  "var/lib/dpkg/lock",
  "var/lib/dpkg/lock-frontend",
];

const isThere = (place: string): boolean => lstatSync(place, { throwIfNoEntry: false }) !== undefined;

function hostKeys(root: string): readonly string[] {
  const directory = path.join(root, "etc/ssh");
  return isThere(directory) ? readdirSync(directory).flatMap((name) => (hostKey.test(name) ? [`etc/ssh/${name}`] : [])) : [];
}

/** Names at the top that lead into /usr stay; directories that no container shows go. */
function strangers(root: string): readonly string[] {
  const top = readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
    entry.isSymbolicLink() || ["usr", "etc", "var"].includes(entry.name) ? [] : [entry.name],
  );
  const state = path.join(root, "var");
  const below = isThere(state) ? readdirSync(state).flatMap((name) => (["lib", "cache"].includes(name) ? [] : [`var/${name}`])) : [];
  return [...top, ...below];
}

/** @returns what told one machine from others, and is gone now; sorted */
export async function removeIdentity(root: string): Promise<readonly string[]> {
  const found = [...identities, ...hostKeys(root)].filter((place) => isThere(path.join(root, place)));
  const rest = [...unused, ...unusedState].filter((place) => isThere(path.join(root, place)));
  for (const place of [...found, ...rest, ...strangers(root)]) await removeTree(path.join(root, place), { parent: root });
  return found.toSorted();
}
