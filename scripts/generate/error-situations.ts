// Which situations end in which error code, read from the sources: constructions, collected problems, and calls of functions that fix the code.
import type { Node } from "oxc-parser";
import { type ParsedModule, walk } from "../checks/parsed-module.ts";

export interface ErrorSituation {
  readonly code: string;
  readonly situation: string;
}

/** A function that makes an error of one code from the situation in one of its parameters. */
interface Maker {
  readonly file: string;
  readonly name: string;
  readonly code: string;
  readonly position: number;
}

const literal = (node: Node | undefined): string | undefined =>
  node?.type === "Literal" && typeof node.value === "string" ? node.value : undefined;

interface Construction {
  readonly code: string;
  readonly situation: Node | undefined;
}

/** `{ code: "...", situation: ... }`: a problem that is collected before it becomes an error. */
function problemOf(node: Node): Construction | undefined {
  if (node.type !== "ObjectExpression") return undefined;
  const values = new Map<string, Node>();
  for (const each of node.properties) if (each.type === "Property" && each.key.type === "Identifier") values.set(each.key.name, each.value);
  const code = literal(values.get("code"));
  return code === undefined || !values.has("situation") ? undefined : { code, situation: values.get("situation") };
}

function constructionOf(node: Node): Construction | undefined {
  if (node.type !== "NewExpression" || node.callee.type !== "Identifier") return problemOf(node);
  if (node.callee.name === "SetupError") return { code: "SETUP_NEEDED", situation: node.arguments[0] };
  const code = ["GloveboxError", "PresetFault"].includes(node.callee.name) ? literal(node.arguments[0]) : undefined;
  return code === undefined ? undefined : { code, situation: node.arguments[1] };
}

function* namedFunctions(
  module: ParsedModule,
): Generator<{ readonly name: string; readonly parameters: readonly Node[]; readonly node: Node }> {
  for (const node of walk(module.program)) {
    if (node.type === "FunctionDeclaration" && node.id !== null) yield { name: node.id.name, parameters: node.params, node };
    if (node.type !== "VariableDeclarator" || node.id.type !== "Identifier") continue;
    const value = node.init;
    if (value?.type === "ArrowFunctionExpression" || value?.type === "FunctionExpression")
      yield { name: node.id.name, parameters: value.params, node: value };
  }
}

function makersOf(module: ParsedModule): Maker[] {
  const makers: Maker[] = [];
  for (const { name, parameters, node } of namedFunctions(module)) {
    for (const inner of walk(node)) {
      const made = constructionOf(inner);
      if (made?.situation?.type !== "Identifier") continue;
      const wanted = made.situation.name;
      const position = parameters.findIndex((parameter) => parameter.type === "Identifier" && parameter.name === wanted);
      if (position !== -1) makers.push({ file: module.file, name, code: made.code, position });
    }
  }
  return makers;
}

/** Situations named in the arguments of makers, also those chosen by a condition. */
function* situationsIn(node: Node | undefined): Generator<string> {
  const text = literal(node);
  if (text !== undefined) yield text;
  if (node?.type === "ConditionalExpression") yield* [...situationsIn(node.consequent), ...situationsIn(node.alternate)];
}

/** @param modules all product sources; makers are known by name, in their own file and where that name is imported */
export function errorSituations(modules: readonly ParsedModule[]): ErrorSituation[] {
  const makers = modules.flatMap((module) => makersOf(module));
  const found = new Map<string, ErrorSituation>();
  const add = (code: string, node: Node | undefined): void => {
    for (const situation of situationsIn(node)) found.set(`${code} ${situation}`, { code, situation });
  };
  for (const module of modules) {
    const visible = makers.filter(
      ({ file, name }) => file === module.file || new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from`, "u").test(module.source),
    );
    for (const node of walk(module.program)) {
      const made = constructionOf(node);
      if (made !== undefined) add(made.code, made.situation);
      if (node.type !== "CallExpression" || node.callee.type !== "Identifier") continue;
      const { name } = node.callee;
      for (const maker of visible.filter((each) => each.name === name)) add(maker.code, node.arguments[maker.position]);
    }
  }
  return [...found.values()];
}
