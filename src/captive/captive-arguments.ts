// The command line of the program that makes the captive network, between the launcher and what runs in it.

export interface CaptiveProgram {
  /** Where it is when it starts: for root perhaps in the stage. */
  readonly path: string;
  /** The descriptor of its channel. */
  readonly channel: number;
  /** For root whose command stays root: whom the program becomes when all is built. Undefined: it is started as nobody of importance. */
  readonly watcherUid?: number | undefined;
  /** As on a kernel without pairs of interfaces. */
  readonly isOneNetwork: boolean;
}

export function captiveArguments({ path, channel, watcherUid, isOneNetwork }: CaptiveProgram): readonly [string, ...string[]] {
  const become = watcherUid === undefined ? [] : ["--become", String(watcherUid)];
  return [path, "--channel", String(channel), ...become, ...(isOneNetwork ? ["--one-network"] : []), "--"];
}
