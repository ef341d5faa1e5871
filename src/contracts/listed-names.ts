// Names that are never made, replaced or opened for writing in a write root, at any depth and in any letter case, nor anything below them:
// what the host executes or trusts merely because it lies there. Git's own files are held by rules about structure in the guard.

const shellStart = [
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".kshrc",
  ".mkshrc",
  ".cshrc",
  ".tcshrc",
  ".login",
  ".logout",
  ".inputrc",
  ".xprofile",
  ".xinitrc",
  ".xsession",
  ".xsessionrc",
  ".pam_environment",
] as const;

/** Of a home directory; a write root that is one, or lies in one, must not hold them. */
const userSettings = [
  ".gitconfig",
  ".ssh",
  "authorized_keys",
  ".config/fish",
  ".config/git",
  ".config/autostart",
  ".config/systemd",
  ".config/environment.d",
] as const;

/** Read as soon as somebody enters the directory or opens it. */
const directorySettings = [
  ".envrc",
  ".husky",
  ".vscode",
  ".idea",
  ".mcp.json",
  ".claude",
  ".codex",
  ".cursor",
  ".gemini",
  ".windsurf",
  ".zed",
] as const;

/** Our own policy: what a project could tell the next run. INVARIANT I-15 */
const ownPolicy = ["glovebox.yaml", "glovebox.yml", "glovebox.json", "glovebox.toml", ".glovebox", ".config/glovebox"] as const;

export const listedNames: readonly string[] = [...shellStart, ...userSettings, ...directorySettings, ...ownPolicy];

const isAmong = (names: readonly string[], place: string): boolean =>
  names.some((name) => `${place.toLowerCase()}/`.includes(`/${name.toLowerCase()}/`));

/** Whether a place is, or lies below, one of these names, of git's own directory, or of `added`. @param absolute of a write root */
export function hasListedName(absolute: string, added: readonly string[] = []): boolean {
  return isAmong([...listedNames, ".git", ...added], absolute);
}

/** The same from a write root on, as the guard judges: the root's own name counts only as the first half of a pair. @param place at or below `root` */
export function isListedBelow(root: string, place: string, added: readonly string[] = []): boolean {
  const names = [...listedNames, ".git", ...added];
  const pairs = names.filter((name) => name.includes("/"));
  return isAmong(names, place.slice(root.length)) || isAmong(pairs, place.slice(root.lastIndexOf("/")));
}
