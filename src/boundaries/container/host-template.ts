// What a container starts from: the template that every machine has, which is the host's own /usr, read-only, with the few files of /etc that its programs
// look for; or one that was built. Nothing is copied. The files are looked at once; the launcher shows them.
import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import path from "node:path";
import { GloveboxError } from "../../contracts/glovebox-error.ts";

export interface RootTemplate {
  /** Of all binds, on the host; "" for the host's own. */
  readonly root: string;
  /** Names at the root that lead into /usr, and links in /etc. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Shown read-only: paths inside. */
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
export function hostTemplate(look: Look): RootTemplate {
  const links = merged.flatMap((path) => {
    const found = look(path);
    if (found === undefined) return [];
    if (found.kind !== "link") throw new GloveboxError("WALL_UNAVAILABLE", "container.not-merged", { values: { path } });
    return [{ path, target: found.target }];
  });
  const seen = settings.map((path) => ({ path, found: look(path) }));
  const linked = seen.flatMap(({ path, found }) => (found?.kind === "link" ? [{ path, target: found.target }] : []));
  const binds = seen.filter(({ found }) => found?.kind === "other").map(({ path }) => path);
  return { root: "", links: [...links, ...linked], binds: ["/usr", ...binds] };
}

/** What a container has of its own in /etc: `accounts` of the layout. No template brings them. */
const ownSettings = new Set(["passwd", "group", "hosts", "nsswitch.conf", "resolv.conf"]);

const namesIn = (directory: string): readonly string[] =>
  lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(directory).toSorted() : [];

/** One that was built, and has been compared with its manifest. @param root its tree on the host */
export function builtTemplate(root: string): RootTemplate {
  const top = namesIn(root).map((name) => `/${name}`);
  const settings = namesIn(path.join(root, "etc")).flatMap((name) => (ownSettings.has(name) ? [] : [`/etc/${name}`]));
  const state = namesIn(path.join(root, "var")).map((name) => `/var/${name}`);
  const shown = [...top.filter((place) => place !== "/etc" && place !== "/var"), ...settings, ...state];
  const seen = shown.map((place) => ({ path: place, found: lookAtHost(path.join(root, place)) }));
  const links = seen.flatMap(({ path: place, found }) => (found?.kind === "link" ? [{ path: place, target: found.target }] : []));
  return { root, links, binds: seen.filter(({ found }) => found?.kind === "other").map((one) => one.path) };
}
