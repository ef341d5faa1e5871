// The ordinary tools that take long, as root: the short lane runs them as an ordinary user.
import { test } from "node:test";
import { toolCases } from "../escape/ordinary-tools/cases.ts";
import { compare } from "../escape/ordinary-tools/compare.ts";

for (const toolCase of toolCases.filter(({ slow }) => slow === true)) test(`inside as outside: ${toolCase.name}`, () => compare(toolCase));
