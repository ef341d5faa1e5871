// The sure way out of a command that has our terminal: ctrl-] three times within a second, as systemd-nspawn has it. In raw mode ctrl-c is
// a key like any other, and the command may ignore it. Every byte still goes to the command.

const endKey = 0x1d;
const presses = 3;
const withinMs = 1000;

export interface EndKeyOptions {
  readonly onEnd: () => void;
  /** Defaults to the monotonic clock. */
  readonly nowMs?: () => number;
}

/** The same chunks; calls `onEnd` at the third press. Any other key in between starts the count again. */
export async function* watchEndKey(chunks: AsyncIterable<Uint8Array>, options: EndKeyOptions): AsyncGenerator<Uint8Array> {
  const nowMs = options.nowMs ?? (() => performance.now());
  let pressedMs: number[] = [];
  for await (const chunk of chunks) {
    const now = nowMs();
    for (const byte of chunk) {
      pressedMs = byte === endKey ? [...pressedMs, now].slice(-presses) : [];
      const first = pressedMs[0];
      if (pressedMs.length === presses && first !== undefined && now - first <= withinMs) options.onEnd();
    }
    yield chunk;
  }
}
