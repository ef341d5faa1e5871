// A TypeScript source as a syntax tree, and the questions that several checks ask it.
import { type Node, parseSync, visitorKeys } from "oxc-parser";
import { lineAt } from "./project-files.ts";

export interface ParsedModule {
  readonly file: string;
  readonly source: string;
  readonly program: Node;
  lineOf(node: { readonly start: number }): number;
}

/** @throws Error for a source that does not parse: a checker that sees nothing must not pass */
export function parseModule(file: string, source: string): ParsedModule {
  const parsed = parseSync(file, source);
  const [first] = parsed.errors;
  if (first !== undefined) throw new Error(`Cannot parse "${file}": ${first.message}`);
  return { file, source, program: parsed.program, lineOf: (node) => lineAt(source, node.start) };
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value;

/** Every node, outermost first. */
export function* walk(node: Node): Generator<Node> {
  yield node;
  const children = new Map<string, unknown>(Object.entries(node));
  for (const key of visitorKeys[node.type] ?? []) {
    const child = children.get(key);
    for (const each of Array.isArray(child) ? child : [child]) if (isNode(each)) yield* walk(each);
  }
}

export interface ModuleImport {
  /** undefined for `import(expression)`, which no wall can judge. */
  readonly specifier: string | undefined;
  readonly line: number;
}

function specifierOf(node: Node | null | undefined): string | undefined {
  return node?.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}

/** Static, type-only, dynamic and re-exporting imports, and `import("x").T` in types. */
export function importsOf(module: ParsedModule): ModuleImport[] {
  const imports: ModuleImport[] = [];
  for (const node of walk(module.program)) {
    const line = module.lineOf(node);
    if (
      node.type === "ImportDeclaration" ||
      node.type === "ExportAllDeclaration" ||
      node.type === "ImportExpression" ||
      node.type === "TSImportType"
    ) {
      imports.push({ specifier: specifierOf(node.source), line });
    } else if (node.type === "ExportNamedDeclaration" && node.source !== null) {
      imports.push({ specifier: specifierOf(node.source), line });
    } else if (node.type === "TSExternalModuleReference") {
      imports.push({ specifier: specifierOf(node.expression), line });
    }
  }
  return imports;
}
