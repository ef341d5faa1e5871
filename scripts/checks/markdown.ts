// What a Markdown file names: code spans, lines of code blocks, links and headings, each with its line.

export interface Named {
  readonly text: string;
  readonly line: number;
}

export interface Markdown {
  readonly file: string;
  readonly lines: readonly string[];
  /** Inline code, and every line of fenced blocks. */
  readonly code: readonly Named[];
  /** Lines of fenced blocks only. */
  readonly blockLines: readonly Named[];
  /** Targets of links and images that are not on the web. */
  readonly links: readonly Named[];
  /** As a link names them after `#`. */
  readonly anchors: ReadonlySet<string>;
}

/** The way a heading is named by links: lower case, words joined by dashes, punctuation dropped. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/gu, "-");
}

export function readMarkdown(file: string, text: string): Markdown {
  const lines = text.split("\n");
  const code: Named[] = [];
  const blockLines: Named[] = [];
  const links: Named[] = [];
  const anchors = new Set<string>();
  let fence: string | undefined;
  for (const [index, content] of lines.entries()) {
    const line = index + 1;
    const mark = /^\s*(```+|~~~+)/u.exec(content)?.[1];
    if (mark !== undefined && (fence === undefined || content.trim() === fence)) {
      fence = fence === undefined ? mark : undefined;
    } else if (fence !== undefined) {
      blockLines.push({ text: content, line });
    } else {
      for (const span of content.matchAll(/`([^`]+)`/gu)) code.push({ text: span[1] ?? "", line });
      for (const link of content.matchAll(/\]\(([^()\s]+)(?:\s+"[^"]*")?\)/gu))
        if (!/^[a-z]+:/u.test(link[1] ?? "")) links.push({ text: link[1] ?? "", line });
      const heading = /^#{1,6}\s+(.*)$/u.exec(content)?.[1];
      if (heading !== undefined) anchors.add(anchorOf(heading.replaceAll("`", "")));
    }
  }
  return { file, lines, code: [...code, ...blockLines], blockLines, links, anchors };
}
