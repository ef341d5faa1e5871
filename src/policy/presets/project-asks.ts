// What a project's own configuration asks for beyond the user's: said, never done. A policy found in a project only narrows, and so does
// every other file of it. INVARIANT I-15
import type { Sentence } from "../../contracts/sentence.ts";
import type { Endpoint } from "./preset-reading.ts";
import { readRegistryUrl } from "./registry-url.ts";

export interface ProjectAsk {
  readonly text: string;
  readonly what: string;
  readonly file: string;
  /** 1-based; 0 when the format gives none. */
  readonly line: number;
}

/** More than anybody reads; keeps a hostile file cheap. */
const maximumNotes = 20;

/** The rule of a user's policy that would open a host. */
export function ruleLine(host: string, port: number, protocol: string): string {
  const id = host.replaceAll(/[^a-z0-9]+/gu, "-").replaceAll(/^-|-$/gu, "");
  return `egress: [{id: ${id.slice(0, 60) || "registry"}, hosts: ["${host}"], ports: [${port}], protocols: [${protocol}], verdict: allow}]`;
}

const place = ({ url }: Pick<Endpoint, "url">): string => `${url.host}:${url.port}`;

/** One note for each host that the project asks for and the configuration of the user does not reach. What is no address asks for nothing. */
export function projectNotes(asks: readonly ProjectAsk[], reached: readonly Endpoint[]): readonly Sentence[] {
  const known = new Set(reached.map(place));
  const notes: Sentence[] = [];
  for (const { text, what, file, line } of asks) {
    const url = readRegistryUrl(text);
    if (url === undefined || known.has(place({ url })) || notes.length === maximumNotes) continue;
    known.add(place({ url }));
    const { host, port, protocol } = url;
    notes.push({ key: "preset.note.project-registry", values: { host, port, what, file, line, rule: ruleLine(host, port, protocol) } });
  }
  return notes;
}

/** A note for each place whose credentials stay outside. */
export function credentialNotes(endpoints: readonly Endpoint[]): readonly Sentence[] {
  const withSecret = endpoints.filter(({ url }) => url.hadCredentials);
  return [
    ...new Map(
      withSecret.map(({ url, source }) => [source, { key: "preset.note.credentials", values: { host: url.host, source } }]),
    ).values(),
  ];
}
