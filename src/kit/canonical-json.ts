// RFC 8785 canonical JSON. Strict: what JSON cannot hold exactly is refused, never repaired.

function refuse(what: string, path: string): never {
  throw new TypeError(`Cannot canonicalise ${path === "" ? "the value" : `"${path}"`}: ${what}`);
}

function canonicalString(text: string, path: string): string {
  if (!text.isWellFormed()) refuse("it holds a lone surrogate", path);
  return JSON.stringify(text);
}

function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function write(value: unknown, path: string): string {
  switch (typeof value) {
    case "string":
      return canonicalString(value, path);
    case "boolean":
      return value ? "true" : "false";
    case "number":
      // RFC 8785 section 3.2.2.3: ECMAScript's number-to-string is the canonical form; -0 is written 0.
      if (!Number.isFinite(value)) refuse("it is not a finite number", path);
      return JSON.stringify(value);
    case "object":
      break;
    default:
      refuse(`it is of type ${typeof value}`, path);
  }
  if (value === null) return "null";
  if (Array.isArray(value)) return `[${Array.from(value, (item: unknown, index) => write(item, `${path}[${index}]`)).join(",")}]`;
  if (!isPlainObject(value)) refuse("it is not a plain object", path);
  // Default sort order is by UTF-16 code units, as section 3.2.3 asks.
  const members = Object.keys(value)
    .toSorted()
    .map((key) => {
      const inner = path === "" ? key : `${path}.${key}`;
      return `${canonicalString(key, inner)}:${write(value[key], inner)}`;
    });
  return `{${members.join(",")}}`;
}

/**
 * The canonical text of plain JSON data.
 * @throws TypeError naming the path of: undefined, a function, a bigint, a non-finite number, a lone surrogate, a class instance.
 */
export function canonicalJson(value: unknown): string {
  return write(value, "");
}
