// Waits until a stream takes more. Nothing of a wait stays behind: events.once() in a race leaves its listeners at the loser's event.
import type { Writable } from "node:stream";

/** Resolves when it takes more, or is gone: whoever writes next, or whoever hears of its end, learns of that. */
export async function drained(stream: Writable): Promise<void> {
  if (stream.destroyed || !stream.writableNeedDrain) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = (): void => resolve();
  const events = ["drain", "close", "error"] as const;
  for (const event of events) stream.on(event, wake);
  await promise;
  for (const event of events) stream.off(event, wake);
}
