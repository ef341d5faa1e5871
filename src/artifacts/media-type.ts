// A guess at what a file is, for whoever shows it: of its first bytes, else of its name. It decides nothing.

/** Enough for every mark below. */
export const mediaTypeBytes = 512;

const marks: readonly (readonly [at: number, bytes: string, type: string])[] = [
  [0, "89504e470d0a1a0a", "image/png"],
  [0, "ffd8ff", "image/jpeg"],
  [0, "47494638", "image/gif"],
  [8, "57454250", "image/webp"],
  [0, "255044462d", "application/pdf"],
  [0, "1f8b", "application/gzip"],
  [0, "28b52ffd", "application/zstd"],
  [0, "fd377a585a00", "application/x-xz"],
  [257, "7573746172", "application/x-tar"],
  [0, "7f454c46", "application/x-executable"],
  [0, "53514c69746520666f726d6174203300", "application/vnd.sqlite3"],
  [0, "50415231", "application/vnd.apache.parquet"],
];

/** Of what begins as a zip archive does. */
const zipped: ReadonlyMap<string, string> = new Map([
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["whl", "application/zip"],
]);

/** Of what is text. */
const written: ReadonlyMap<string, string> = new Map([
  ["css", "text/css"],
  ["csv", "text/csv"],
  ["html", "text/html"],
  ["js", "text/javascript"],
  ["json", "application/json"],
  ["jsonl", "application/jsonl"],
  ["md", "text/markdown"],
  ["svg", "image/svg+xml"],
  ["tsv", "text/tab-separated-values"],
  ["xml", "application/xml"],
  ["yaml", "application/yaml"],
]);

function isText(start: Uint8Array): boolean {
  // A character may be cut where the bytes end.
  const whole = start.length < mediaTypeBytes;
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: !whole }).includes("\0");
  } catch {
    return false; // not UTF-8, which is all that decode can say
  }
}

/** @param start its first bytes, at most `mediaTypeBytes` */
export function mediaTypeOf(name: string, start: Uint8Array): string {
  const ending = /\.(?<ending>[a-z0-9]{1,8})$/u.exec(name.toLowerCase())?.groups?.["ending"] ?? "";
  const hex = Buffer.from(start).toString("hex");
  if (hex.startsWith("504b0304")) return zipped.get(ending) ?? "application/zip";
  const mark = marks.find(([at, bytes]) => hex.startsWith(bytes, at * 2));
  if (mark !== undefined) return mark[2];
  return isText(start) ? (written.get(ending) ?? "text/plain") : "application/octet-stream";
}
