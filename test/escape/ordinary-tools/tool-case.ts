// The shape of one case of the ordinary tools: a shell script that works in an empty project directory.

export interface ToolCase {
  readonly name: string;
  /** Programs that must exist on this machine. */
  readonly needs: readonly string[];
  /** Run by `/bin/sh -c`, there and here. What it prints is compared, so it prints results: file contents, commit graphs, answers. */
  readonly script: string;
  /** What it must print; without it the script also runs on the host, and must print the same there. For scripts too slow to run twice. */
  readonly prints?: string;
  /** Runs on a terminal of its own on both sides. */
  readonly terminal?: true;
  /** Runs a second time with every open mediated. */
  readonly strictToo?: true;
  /** Takes many seconds on a quiet machine: in the short lanes it runs once, and not as root too. */
  readonly slow?: true;
  /** Directories that the default view does not show. */
  readonly alsoRead?: readonly string[];
  /** Its exit code inside where the wall rightly refuses what the host allows; `prints` then says what it must print inside. */
  readonly refused?: number;
}
