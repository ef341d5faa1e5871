// Which sentences a source uses: key literals, error situations, and keys that are put together while running.
import type { Node } from "oxc-parser";
import { type ParsedModule, walk } from "./parsed-module.ts";

export interface KeyUse {
  readonly text: string;
  readonly line: number;
  /** Names of the values handed over with it, where they can be read off; undefined where they cannot. */
  readonly values: readonly string[] | undefined;
}

export interface TextUses {
  /** String literals that look like keys or situations: words joined by dots. */
  readonly literals: readonly KeyUse[];
  /** Second argument of `new GloveboxError(...)` where it is a literal: a situation for certain. */
  readonly situations: readonly KeyUse[];
  /** Constant beginnings of templates that look like keys, e.g. `ledger.finding.`. */
  readonly prefixes: readonly KeyUse[];
}

const keyShape = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+$/u;
const prefixShape = /^[a-z][a-z0-9-]*\.(?:[a-z0-9-]+\.)*[a-z0-9-]*$/u;

const literalText = (node: Node | undefined): string | undefined =>
  node?.type === "Literal" && typeof node.value === "string" ? node.value : undefined;

/** Property `name` of an object literal. */
function property(node: Node | undefined, name: string): Node | undefined {
  if (node?.type !== "ObjectExpression") return undefined;
  for (const each of node.properties) {
    if (each.type === "Property" && !each.computed && each.key.type === "Identifier" && each.key.name === name) return each.value;
  }
  return undefined;
}

/** Names of an object literal's properties; undefined when a spread or a computed name hides some. */
function propertyNames(node: Node | undefined): string[] | undefined {
  if (node?.type !== "ObjectExpression") return undefined;
  const names: string[] = [];
  for (const each of node.properties) {
    if (each.type !== "Property" || each.computed) return undefined;
    if (each.key.type === "Identifier") names.push(each.key.name);
    else names.push(literalText(each.key) ?? "");
  }
  return names;
}

function situationOf(node: Node, line: number): KeyUse | undefined {
  if (node.type !== "NewExpression" || node.callee.type !== "Identifier" || node.callee.name !== "GloveboxError") return undefined;
  const text = literalText(node.arguments[1]);
  if (text === undefined) return undefined;
  const options = node.arguments[2];
  const values = property(options, "values");
  return {
    text,
    line,
    values: options === undefined || (options.type === "ObjectExpression" && values === undefined) ? [] : propertyNames(values),
  };
}

/** `{ key: "a.b", values: { name } }` */
function sentenceOf(node: Node, line: number): KeyUse | undefined {
  const text = literalText(property(node, "key"));
  const values = property(node, "values");
  return text === undefined || values === undefined || !keyShape.test(text) ? undefined : { text, line, values: propertyNames(values) };
}

export function textUses(module: ParsedModule): TextUses {
  const uses: { literals: KeyUse[]; situations: KeyUse[]; prefixes: KeyUse[] } = { literals: [], situations: [], prefixes: [] };
  for (const node of walk(module.program)) {
    const line = module.lineOf(node);
    const literal = literalText(node);
    if (literal !== undefined && keyShape.test(literal)) uses.literals.push({ text: literal, line, values: undefined });
    if (node.type === "TemplateLiteral") {
      const head = node.quasis[0]?.value.cooked ?? "";
      if (node.expressions.length > 0 && prefixShape.test(head)) uses.prefixes.push({ text: head, line, values: undefined });
      if (node.expressions.length === 0 && keyShape.test(head)) uses.literals.push({ text: head, line, values: undefined });
    }
    const situation = situationOf(node, line);
    if (situation !== undefined) uses.situations.push(situation);
    const sentence = sentenceOf(node, line);
    if (sentence !== undefined) uses.literals.push(sentence);
  }
  return uses;
}
