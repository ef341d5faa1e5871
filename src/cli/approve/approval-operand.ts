// `APPROVAL` on a command line.
import type { CommandInput } from "../command.ts";

export const approvalSynopsis = "APPROVAL";

export const approvalOperand = ({ operands }: CommandInput): string => operands[0] ?? "";
