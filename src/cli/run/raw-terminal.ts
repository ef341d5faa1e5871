// Lends our terminal to a command that has a pty: raw mode while it runs, ordinary mode again on every way out.
import type { CliIo } from "../cli-io.ts";

// Colours off, cursor visible, mouse reports and bracketed paste off: what a killed full-screen program leaves behind.
const tidy = "\u001B[0m\u001B[?25h\u001B[?1000l\u001B[?1002l\u001B[?1003l\u001B[?1006l\u001B[?2004l";

/** Returns the way back, which may be called any number of times. Without a terminal on stdin it does nothing. */
export function lendTerminal(io: CliIo): () => void {
  const { stdin, stdout, events } = io;
  if (stdin.isTTY !== true || stdin.setRawMode === undefined) return () => {};
  stdin.setRawMode(true);
  // Raw mode of Node still turns a line feed into two characters; the terminal inside has done that already, or was told not to.
  io.passOutputUnchanged();
  let isBack = false;
  const giveBack = (): void => {
    if (isBack) return;
    isBack = true;
    events.off("exit", giveBack);
    stdin.setRawMode?.(false);
    if (stdout.isTTY === true && !stdout.destroyed) stdout.write(tidy);
  };
  events.on("exit", giveBack);
  return giveBack;
}
