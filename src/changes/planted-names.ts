// Whether something should never have come to lie where it lies. Written apart from the mediator's own rules and simpler than them: what this
// finds got past them. It covers listed names and git's hooks, attributes and configuration below a `.git`.

/** Lines of a configuration of git that make it run a program or read another file. */
const executes =
  /^[^\S\n]*(?:\[(?:alias|filter|include|includeif|credential)\b.*|(?:\[[^\]\n]*\][^\S\n]*)?(?:fsmonitor|hookspath|sshcommand|pager|editor|askpass|textconv|clean|smudge|process|driver|helper|program|gitproxy|uploadpack|receivepack)[^\S\n]*=.*)$/gimu;

function namesBelow(path: string, root: string): readonly string[] {
  const above = root.slice(root.lastIndexOf("/") + 1);
  return [above, ...path.slice(root.length + 1).split("/")].map((name) => name.toLowerCase());
}

/** @param listed names, or pairs with a slash */
export function isListed(path: string, root: string, listed: ReadonlySet<string>): boolean {
  const names = namesBelow(path, root);
  return names.some((name, index) => index > 0 && (listed.has(name) || listed.has(`${names[index - 1] ?? ""}/${name}`)));
}

/** Below `.git`, where no names of branches and the like are. */
function gitPart(path: string, root: string): readonly string[] {
  const names = namesBelow(path, root);
  const at = names.lastIndexOf(".git");
  const part = at < 0 ? [] : names.slice(at + 1);
  return part.some((name) => ["objects", "refs", "logs"].includes(name)) ? [] : part;
}

/** A hook that is no sample, or attributes that no commit shows. */
export function isGitHook(path: string, root: string): boolean {
  const part = gitPart(path, root);
  const name = part.at(-1) ?? "";
  const above = part.at(-2);
  return (above === "hooks" && !name.endsWith(".sample")) || (above === "info" && name === "attributes");
}

export function isGitConfig(path: string, root: string): boolean {
  const name = gitPart(path, root).at(-1);
  return name === "config" || name === "config.worktree";
}

/** Whether the new text has a line that executes, which the old one had not. */
export function addsExecution(before: string, after: string): boolean {
  const known = new Set(before.match(executes) ?? []);
  return (after.match(executes) ?? []).some((line) => !known.has(line));
}
