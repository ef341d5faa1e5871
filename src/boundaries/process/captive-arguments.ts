// The command line of the program that makes the captive network, between the launcher (root only) and bubblewrap.

export interface CaptiveProgram {
  /** Where it is when it starts: of root's launcher, in the stage. */
  readonly path: string;
  /** The descriptor of its channel. */
  readonly channel: number;
  /** As on a kernel without pairs of interfaces. */
  readonly isOneNetwork: boolean;
}

export function captiveArguments({ path, channel, isOneNetwork }: CaptiveProgram): readonly [string, ...string[]] {
  return [path, "--channel", String(channel), ...(isOneNetwork ? ["--one-network"] : []), "--"];
}
