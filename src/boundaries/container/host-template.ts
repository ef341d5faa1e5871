// The template that every machine has: the host's own /usr, read-only, with the few files of /etc that its programs look for. Nothing is
// built or copied. The files are looked at once; the launcher shows them.
import { lstatSync, readlinkSync } from "node:fs";
import { GloveboxError } from "../../contracts/glovebox-error.ts";

/** What of the host is a template's. */
export interface HostTemplate {
  /** Names at the root that lead into /usr. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Shown read-only. */
  readonly binds: readonly string[];
}

const merged = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"] as const;

/** No account, no network, no key, nothing that an administrator writes about this machine. */
const settings = [
  "alternatives",
  "bash.bashrc",
  "ca-certificates.conf",
  "debian_version",
  "fonts",
  "inputrc",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "os-release",
  "perl",
  "protocols",
  "python3",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
].map((name) => `/etc/${name}`);

/** `link`: with its target. */
type Found = { readonly kind: "link"; readonly target: string } | { readonly kind: "other" } | undefined;

export type Look = (path: string) => Found;

export function lookAtHost(path: string): Found {
  try {
    return lstatSync(path).isSymbolicLink() ? { kind: "link", target: readlinkSync(path) } : { kind: "other" };
  } catch {
    return undefined; // not there, or not ours to see: a template that lacks it shows less, never more
  }
}

/** @throws WALL_UNAVAILABLE where programs lie outside /usr */
export function hostTemplate(look: Look): HostTemplate {
  const links = merged.flatMap((path) => {
    const found = look(path);
    if (found === undefined) return [];
    if (found.kind !== "link") throw new GloveboxError("WALL_UNAVAILABLE", "container.not-merged", { values: { path } });
    return [{ path, target: found.target }];
  });
  const seen = settings.map((path) => ({ path, found: look(path) }));
  const linked = seen.flatMap(({ path, found }) => (found?.kind === "link" ? [{ path, target: found.target }] : []));
  const binds = seen.filter(({ found }) => found?.kind === "other").map(({ path }) => path);
  return { links: [...links, ...linked], binds: ["/usr", ...binds] };
}
