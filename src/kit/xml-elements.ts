// Reads the plain part of XML that configuration files use: elements, text, comments, CDATA. A document type is refused, since it could
// define entities that grow; attributes are skipped.

export interface XmlElement {
  /** Without a namespace prefix. */
  readonly name: string;
  /** Trimmed text directly inside. */
  readonly text: string;
  readonly children: readonly XmlElement[];
}

interface OpenElement {
  readonly name: string;
  text: string;
  readonly children: XmlElement[];
}

const maximumDepth = 64;

const token =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<(\/?)([A-Za-z_][\w.:-]*)((?:"[^"]*"|'[^']*'|[^<>"'])*?)(\/?)>|<|[^<]+/gu;

const entities: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);

function decoded(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/giu, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return entities.get(name) ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0x10_ffff ? whole : String.fromCodePoint(code);
  });
}

function closed({ name, text, children }: OpenElement): XmlElement {
  return { name, text: text.trim(), children };
}

/** @returns the root element; undefined for what is not one well-formed tree of at most 64 levels */
export function readXml(source: string): XmlElement | undefined {
  const root: OpenElement = { name: "", text: "", children: [] };
  const open: OpenElement[] = [root];
  for (const [whole, literal, slash, tag, , selfClosing] of source.matchAll(token)) {
    const current = open.at(-1) ?? root;
    if (literal !== undefined) current.text += literal;
    else if (tag === undefined) {
      if (whole.startsWith("<!--") || whole.startsWith("<?")) continue;
      // A document type, a lone bracket, or text around the root.
      if (whole.startsWith("<") || (open.length === 1 && whole.replace(/^\uFEFF/u, "").trim() !== "")) return undefined;
      current.text += decoded(whole);
    } else {
      const name = tag.slice(tag.indexOf(":") + 1);
      if (slash === "/") {
        const ended = open.pop();
        if (ended === undefined || open.length === 0 || ended.name !== name) return undefined;
        open.at(-1)?.children.push(closed(ended));
      } else if (selfClosing === "/") current.children.push({ name, text: "", children: [] });
      else if (open.push({ name, text: "", children: [] }) > maximumDepth) return undefined;
    }
  }
  const [only, ...others] = root.children;
  return open.length === 1 && others.length === 0 ? only : undefined;
}

/** The elements at a path below one, e.g. `["mirrors", "mirror"]`. */
export function xmlAt(element: XmlElement, path: readonly string[]): readonly XmlElement[] {
  const [first, ...rest] = path;
  if (first === undefined) return [element];
  return element.children.filter(({ name }) => name === first).flatMap((child) => xmlAt(child, rest));
}

/** The text of the first child of that name; empty when there is none. */
export function xmlText(element: XmlElement, name: string): string {
  return element.children.find((child) => child.name === name)?.text ?? "";
}

/** Text as it may stand in an element. */
export function xmlEscaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
