// Which layers a sandbox is opened with. The product has both; tests take one away, with the guard's test build only, to prove that the
// other holds alone.
import { markerOf } from "../../linux/linux.ts";
import type { Beginning } from "./beginning.ts";
import { guardInside } from "./inside.ts";

export interface TestLayers {
  /** bubblewrap's mounts, namespaces (the pid namespace stays: the guard is PID 1) and dropped capabilities. */
  readonly outer: boolean;
  /** The guard's descriptors, no_new_privs, capabilities, rlimits, Landlock and seccomp. */
  readonly inner: boolean;
  /** False: the mediator stands, but refuses no name. What comes of it must be found when the sandbox is gone. */
  readonly judges?: boolean;
}

/** The host as it is, in a pid namespace of its own. */
const outerOffArguments = [
  "--unshare-pid",
  "--dev-bind",
  "/",
  "/",
  "--proc",
  "/proc",
  "--die-with-parent",
  "--new-session",
  "--as-pid-1",
] as const;

/** Options and program of bubblewrap. */
export function bubblewrapCommand(
  beginning: Beginning,
  options: { readonly guardPath: string; readonly sandboxId: string; readonly layers: TestLayers },
): readonly string[] {
  const { layers } = options;
  const wall = layers.outer ? beginning.bwrapArgs : outerOffArguments;
  const judgement = layers.judges === false ? ["--without=judgement"] : [];
  const without = layers.inner ? judgement : ["--without=all"];
  const bound = beginning.boundProcessors === undefined ? [] : [`--processors=${beginning.boundProcessors}`];
  const guard = layers.outer ? guardInside : options.guardPath;
  return [...wall, "--", guard, "serve", markerOf(options.sandboxId), ...bound, ...without];
}
