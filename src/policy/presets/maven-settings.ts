// Maven's settings as data: which repositories there are, and which mirror stands in for which of them.
import { readXml, type XmlElement, xmlAt, xmlText } from "../../kit/xml-elements.ts";
import type { ConfigFile } from "../../contracts/preset.ts";
import { PresetFault } from "../../contracts/preset.ts";

export interface MavenRepository {
  readonly id: string;
  readonly url: string;
  /** A file. */
  readonly source: string;
  readonly isPlugin: boolean;
}

export interface MavenMirror {
  readonly id: string;
  readonly url: string;
  readonly mirrorOf: string;
  readonly isBlocked: boolean;
  readonly source: string;
}

export interface MavenSettings {
  readonly mirrors: readonly MavenMirror[];
  readonly repositories: readonly MavenRepository[];
  /** Ids of servers that have a secret. */
  readonly servers: readonly { readonly id: string; readonly source: string }[];
  readonly isOffline: boolean;
}

/** @throws PresetFault */
export function rootOf({ path, text }: ConfigFile): XmlElement {
  const root = readXml(text);
  if (root === undefined) throw new PresetFault("POLICY_UNREADABLE", "preset.file-syntax", { file: path });
  return root;
}

export function repositoriesOf(element: XmlElement, source: string): readonly MavenRepository[] {
  const lists = [
    { path: ["repositories", "repository"], isPlugin: false },
    { path: ["pluginRepositories", "pluginRepository"], isPlugin: true },
  ];
  return lists.flatMap(({ path, isPlugin }) =>
    xmlAt(element, path).map((item) => ({ id: xmlText(item, "id"), url: xmlText(item, "url"), source, isPlugin })),
  );
}

/** A profile counts when the settings name it as active or it says so itself; one that waits for a project's property does not. */
function activeProfiles(root: XmlElement): readonly XmlElement[] {
  const named = new Set(xmlAt(root, ["activeProfiles", "activeProfile"]).map(({ text }) => text));
  return xmlAt(root, ["profiles", "profile"]).filter(
    (profile) => named.has(xmlText(profile, "id")) || xmlAt(profile, ["activation", "activeByDefault"]).some(({ text }) => text === "true"),
  );
}

/** @param files weakest first. @throws PresetFault */
export function readSettings(files: readonly ConfigFile[]): MavenSettings {
  const roots = files.map((file) => ({ file: file.path, root: rootOf(file) }));
  const strongestFirst = roots.toReversed();
  const mirrors = strongestFirst.flatMap(({ file, root }) =>
    xmlAt(root, ["mirrors", "mirror"]).map((mirror) => ({
      id: xmlText(mirror, "id"),
      url: xmlText(mirror, "url"),
      mirrorOf: xmlText(mirror, "mirrorOf"),
      isBlocked: xmlText(mirror, "blocked") === "true",
      source: file,
    })),
  );
  const servers = strongestFirst.flatMap(({ file, root }) =>
    xmlAt(root, ["servers", "server"])
      .filter((server) => ["password", "privateKey", "passphrase"].some((name) => xmlText(server, name) !== ""))
      .map((server) => ({ id: xmlText(server, "id"), source: file })),
  );
  return {
    // By id the user's settings replace the installation's.
    mirrors: mirrors.filter(({ id }, index) => mirrors.findIndex((other) => other.id === id) === index),
    repositories: roots.flatMap(({ file, root }) => activeProfiles(root).flatMap((profile) => repositoriesOf(profile, file))),
    servers,
    isOffline: strongestFirst.some(({ root }) => xmlText(root, "offline") === "true"),
  };
}

const isExternal = (url: string): boolean => !/^file:|^[a-z]+:\/\/(?:localhost|127\.0\.0\.1)(?:[:/]|$)/u.test(url);

/** `*`, `external:*`, `external:http:*`, ids and `!id`, separated by commas; a `!` wins. */
function covers(mirrorOf: string, { id, url }: MavenRepository): boolean {
  const patterns = mirrorOf.split(",").map((pattern) => pattern.trim());
  if (patterns.includes(`!${id}`)) return false;
  return patterns.some((pattern) => {
    if (pattern === id || pattern === "*") return true;
    if (pattern === "external:*") return isExternal(url);
    return pattern === "external:http:*" && isExternal(url) && /^(?:http|dav):/u.test(url);
  });
}

/** The mirror that maven asks in place of a repository: one of exactly its id before any pattern. */
export function mirrorFor({ mirrors }: MavenSettings, repository: MavenRepository): MavenMirror | undefined {
  return mirrors.find(({ mirrorOf }) => mirrorOf === repository.id) ?? mirrors.find(({ mirrorOf }) => covers(mirrorOf, repository));
}
