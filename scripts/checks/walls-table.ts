// Which room may import what: the table of ARCHITECTURE as data. Rooms not listed here do not exist.

export interface RoomRule {
  /** Rooms whose front file (or, for contracts and kit, any file) may be imported. */
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
  /** `all`, or the only ones. */
  readonly builtins: "all" | readonly string[];
}

const base = ["contracts", "kit", "texts"];
const middle = ["policy", "approvals", "ledger", "store", "credentials", "templates", "artifacts"];
const boundaryRule: RoomRule = { rooms: ["contracts", "kit", "guard", "linux", "captive"], packages: ["zod"], builtins: "all" };

export const boundaryRooms = ["process", "container", "microvm", "desktop", "wasi", "memory"].map((kind) => `boundaries/${kind}`);

const middleRule: RoomRule = { rooms: base, packages: ["zod"], builtins: "all" };

export const roomRules: Readonly<Record<string, RoomRule>> = {
  // Types alone: what a boundary hands to the gate are sockets.
  contracts: { rooms: [], packages: ["zod"], builtins: ["node:net", "node:dgram"] },
  kit: { rooms: [], packages: [], builtins: "all" },
  texts: { rooms: [], packages: [], builtins: [] },
  ...Object.fromEntries(middle.map((room) => [room, middleRule])),
  policy: { rooms: base, packages: ["zod", "yaml", "smol-toml"], builtins: ["node:path", "node:buffer"] },
  egress: { rooms: ["contracts", "kit"], packages: ["zod"], builtins: "all" },
  guard: { rooms: ["contracts", "kit"], packages: ["zod"], builtins: "all" },
  linux: { rooms: ["contracts", "kit", "guard"], packages: [], builtins: "all" },
  captive: { rooms: ["contracts", "kit", "linux"], packages: ["zod"], builtins: "all" },
  ...Object.fromEntries(boundaryRooms.map((room) => [room, boundaryRule])),
  changes: { rooms: [...base, "guard"], packages: ["zod"], builtins: "all" },
  conformance: { rooms: ["contracts", "kit"], packages: [], builtins: "all" },
  broker: { rooms: [...base, ...middle, "egress", "guard", "changes"], packages: ["zod"], builtins: "all" },
  sdk: { rooms: ["contracts"], packages: ["zod"], builtins: [] },
  door: { rooms: base, packages: ["zod"], builtins: "all" },
  api: { rooms: [...base, "broker"], packages: ["zod", "hono"], builtins: "all" },
  proofs: { rooms: base, packages: ["zod"], builtins: "all" },
  doctor: { rooms: [...base, "broker"], packages: ["zod"], builtins: "all" },
  cli: { rooms: [...base, "sdk"], packages: ["zod"], builtins: "all" },
  mcp: { rooms: [...base, "sdk"], packages: ["zod", "@modelcontextprotocol/server", "@modelcontextprotocol/node"], builtins: "all" },
  console: { rooms: ["contracts", "texts", "sdk"], packages: [], builtins: [] },
};

/** Single files at the root of src: the starters see the root of composition, which alone sees the boundaries. */
export const rootRules: Readonly<Record<string, RoomRule>> = {
  "compose.ts": {
    rooms: [...Object.keys(roomRules).filter((room) => room !== "conformance"), "compose-policy.ts", "compose-broker.ts"],
    packages: ["zod"],
    builtins: "all",
  },
  "compose-broker.ts": { rooms: ["contracts", "kit", "broker", "door"], packages: [], builtins: "all" },
  "compose-policy.ts": { rooms: ["contracts", "kit", "policy", "broker"], packages: ["tldts"], builtins: "all" },
  "main.ts": { rooms: ["start.ts"], packages: [], builtins: "all" },
  "start.ts": { rooms: [...base, "cli", "mcp", "api", "doctor", "compose.ts"], packages: [], builtins: "all" },
  // The gate's process: what it serves, and the rules that it is handed.
  "gate.ts": { rooms: ["contracts", "kit", "egress", "policy"], packages: [], builtins: "all" },
  "lib.ts": { rooms: [...base, "sdk", "compose.ts"], packages: [], builtins: "all" },
};

/** Rooms whose every file may be imported from outside. */
export const openRooms = new Set(["contracts", "kit"]);

/** What a test beside the source may import besides. */
export const testRule = {
  packages: ["fast-check", "canonicalize", "zod"],
  builtins: [
    "node:test",
    "node:assert/strict",
    "node:fs",
    "node:fs/promises",
    "node:os",
    "node:path",
    "node:buffer",
    "node:events",
    "node:stream",
  ],
} as const;

/** Built-ins that one file alone may import. */
export const reservedBuiltins: Readonly<Record<string, string>> = { "node:child_process": "src/kit/spawn.ts" };

/** A part of a room that shares no code with the rest of it. */
export const innerWalls = [
  {
    part: ["src/ledger/verify.ts", "src/ledger/verify/"],
    reason: "an independent reader shares no code with the writer",
  },
] as const;

/** Calls of these with `recursive: true` are recursive deletes; one file alone may hold them. */
export const recursiveDelete = { functions: ["rm", "rmSync", "rmdir", "rmdirSync"], file: "src/kit/remove-tree.ts" } as const;

/** Names that say nothing about what a file holds. */
export const emptyFileNames = new Set(["index", "utils", "util", "helpers", "helper", "common", "manager", "types", "misc"]);

/** Lines. */
export const longestFile = 400;
