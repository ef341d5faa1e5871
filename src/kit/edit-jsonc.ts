// Puts one value into JSON with comments: everything else stays byte for byte, and what is new is indented as its neighbours are.
import { type JsoncArray, JsoncFault, type JsoncNode, type JsoncObject, parseJsonc } from "./jsonc-tree.ts";

/** Keys of objects and indexes of arrays; the index after the last one is a new item. */
export type JsoncPath = readonly (string | number)[];

interface Text {
  readonly text: string;
  readonly root: JsoncNode;
}

function childAt(node: JsoncNode, step: string | number): JsoncNode | undefined {
  if (node.kind === "array" && typeof step === "number") return node.children[step];
  if (node.kind === "object" && typeof step === "string") return node.children.find(({ key }) => key === step)?.value;
  return undefined;
}

/** The blanks at the start of the line in which an offset stands. */
function indentOf(text: string, offset: number): string {
  const from = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/u.exec(text.slice(from, offset))?.[0] ?? "";
}

/** How what stands in a container is indented; undefined where nothing in it starts a line. */
function innerIndent(text: string, container: JsoncNode): string | undefined {
  const first = container.kind === "scalar" ? undefined : container.children[0];
  if (first === undefined) return undefined;
  const indent = indentOf(text, first.start);
  return text.endsWith(`\n${indent}`, first.start) ? indent : undefined;
}

/** One step of indentation: as the first line inside the whole has it. */
const unitOf = ({ text, root }: Text): string => innerIndent(text, root) || "  ";

const lineEnd = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");

function render(whole: Text, value: unknown, indent: string): string {
  return JSON.stringify(value, undefined, unitOf(whole)).replaceAll("\n", `${lineEnd(whole.text)}${indent}`);
}

function insert(whole: Text, container: JsoncObject | JsoncArray, value: unknown, key: string | undefined): string {
  const { text } = whole;
  const last = container.children.at(-1);
  const close = container.end - 1;
  const outer = indentOf(text, container.start);
  const indent = innerIndent(text, container) ?? `${outer}${unitOf(whole)}`;
  const from = last === undefined ? container.start + 1 : last.end;
  const between = text.slice(from, close);
  const kept = between.trimEnd();
  const blanks = between.slice(kept.length);
  const comma = last === undefined || container.hasTrailingComma ? "" : ",";
  const name = key === undefined ? "" : `${JSON.stringify(key)}: `;
  const before = blanks.includes("\n") ? blanks : `${lineEnd(text)}${outer}`;
  return `${text.slice(0, from)}${comma}${kept}${lineEnd(text)}${indent}${name}${render(whole, value, indent)}${before}${text.slice(close)}`;
}

const wrap = (steps: JsoncPath, value: unknown): unknown =>
  steps.reduceRight((inner: unknown, step) => (typeof step === "number" ? [inner] : { [step]: inner }), value);

/**
 * The text with this value there; what leads to it is made where it is missing.
 * @throws JsoncFault for a text that is none, and where the path goes through something that is neither object nor array
 */
export function withJsoncValue(text: string, path: JsoncPath, value: unknown): string {
  const whole: Text = { text, root: parseJsonc(text) };
  let node = whole.root;
  for (const [index, step] of path.entries()) {
    const child = childAt(node, step);
    if (child === undefined) {
      const inner = wrap(path.slice(index + 1), value);
      if (node.kind === "object" && typeof step === "string") return insert(whole, node, inner, step);
      if (node.kind === "array" && step === node.children.length) return insert(whole, node, inner, undefined);
      throw new JsoncFault(text.slice(0, node.start).split("\n").length);
    }
    node = child;
  }
  return `${text.slice(0, node.start)}${render(whole, value, indentOf(text, node.start))}${text.slice(node.end)}`;
}
