// `SANDBOX` on a command line.
import type { CommandInput } from "../command.ts";

export const sandboxSynopsis = "SANDBOX";

export const sandboxOperand = ({ operands }: CommandInput): string => operands[0] ?? "";
