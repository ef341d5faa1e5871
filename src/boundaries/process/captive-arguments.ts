// The command line of the program that makes the captive network, between the launcher and bubblewrap.

export interface CaptiveProgram {
  /** Where it is when it starts: for root perhaps in the stage. */
  readonly path: string;
  /** The descriptor of its channel. */
  readonly channel: number;
  /** As on a kernel without pairs of interfaces. */
  readonly isOneNetwork: boolean;
}

export function captiveArguments({ path, channel, isOneNetwork }: CaptiveProgram): readonly [string, ...string[]] {
  return [path, "--channel", String(channel), ...(isOneNetwork ? ["--one-network"] : []), "--"];
}
