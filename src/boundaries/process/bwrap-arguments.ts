// The command line of bubblewrap: every namespace, the view that the launcher has laid out as one mount, and what only the new namespaces can have.
import { hostNameInside } from "./inside.ts";
import { emptyFile, viewDirectory } from "./view-layout.ts";

export interface BubblewrapInput {
  readonly identity: { readonly insideUid: number; readonly insideGid: number };
  /** It starts in a network that was made for it; otherwise it makes one with a loopback alone. */
  readonly isCaptive: boolean;
  /** Commands may make user namespaces of their own. */
  readonly isNesting: boolean;
  /** The launcher's. */
  readonly stageDirectory: string;
  /** Files of /proc that are empty inside. */
  readonly emptied: readonly string[];
}

/** Every namespace, no capability, no way to make new user namespaces unless the policy opens one, no terminal, no survivor. */
function namespaceArguments({ identity, isCaptive, isNesting }: BubblewrapInput): readonly string[] {
  return [
    ["user", "ipc", "pid", ...(isCaptive ? [] : ["net"]), "uts", "cgroup"].map((name) => `--unshare-${name}`),
    [...(isNesting ? [] : ["--disable-userns"]), "--uid", String(identity.insideUid), "--gid", String(identity.insideGid)],
    ["--cap-drop", "ALL", "--new-session", "--die-with-parent", "--as-pid-1", "--hostname", hostNameInside],
  ].flat();
}

/** Options only: the caller adds `--` and the guard. */
export function bwrapArguments(input: BubblewrapInput): readonly string[] {
  const { stageDirectory, emptied } = input;
  return [
    namespaceArguments(input),
    // Every mount of the view is what it shall be already, and no device works but those below /dev: bubblewrap gives no right back.
    ["--dev-bind", `${stageDirectory}/${viewDirectory}`, "/"],
    // Limits written to /proc/sys from outside must not be raised back from inside.
    ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"],
    emptied.flatMap((path) => ["--ro-bind", `${stageDirectory}/${emptyFile}`, path]),
    ["--chdir", "/"],
  ].flat();
}
