// Which of the caller's variables go inside. An allow-list by name; some names can never be on it.

/**
 * Names that never pass, whoever asks: a trailing * means a beginning. Loaders and interpreters run code from them; agent and session
 * sockets speak as the user; PATH, HOME and the like are made by Glovebox for the inside; GLOVEBOX_* would speak to Glovebox itself.
 */
export const neverPassed: readonly string[] = [
  "LD_* DYLD_* GLIBC_TUNABLES GCONV_PATH LOCPATH NLSPATH MALLOC_*",
  "BASH_* BASHOPTS ENV SHELLOPTS PROMPT_COMMAND PS4 IFS ZDOTDIR",
  "NODE_OPTIONS NODE_PATH PYTHONSTARTUP PYTHONPATH PYTHONHOME PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB",
  "JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS GIT_* PAGER EDITOR VISUAL",
  "SSH_* GPG_AGENT_INFO DBUS_* XDG_RUNTIME_DIR DISPLAY WAYLAND_* XAUTHORITY DOCKER_* KUBECONFIG SUDO_*",
  "PATH HOME TMPDIR PWD OLDPWD USER LOGNAME SHELL GLOVEBOX_*",
].flatMap((line) => line.split(" "));

/** `LC_*` matches each name that begins with `LC_`; anything else matches itself. Case counts. */
export function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

/** Does every name that `inner` matches also match `outer`? */
export function coversName(outer: string, inner: string): boolean {
  if (inner.endsWith("*")) return outer.endsWith("*") && inner.startsWith(outer.slice(0, -1));
  return matchesName(outer, inner);
}

/** The first forbidden name that a pattern would let in, or undefined. So a pattern that is accepted can be applied as it stands. */
export function forbiddenBy(pattern: string): string | undefined {
  return neverPassed.find((name) => coversName(name, pattern) || coversName(pattern, name));
}

/** The caller's variables that pass. Values are not looked at. */
export function passedEnvironment(
  patterns: readonly string[],
  caller: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const passed = new Map<string, string>();
  for (const [name, value] of Object.entries(caller)) {
    if (value === undefined || !patterns.some((pattern) => matchesName(pattern, name)) || forbiddenBy(name) !== undefined) continue;
    passed.set(name, value);
  }
  return Object.fromEntries(passed);
}
