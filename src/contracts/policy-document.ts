// The policy document, whole and closed: types, validation, JSON Schema and docs all come from here.
// What is not built yet is in the shape too; src/policy/supported.ts refuses it by name.
import * as z from "zod";
import { madeOnce } from "./made-once.ts";
import { cacheNameSchema } from "./package-caches.ts";
import { egressRuleSchema } from "./egress-rule.ts";
import {
  daySchema,
  durationSchema,
  environmentNameSchema,
  environmentPatternSchema,
  homeFileSchema,
  listOf,
  literalPathSchema,
  pathPatternSchema,
  policyDigestSchema,
  protectedNameSchema,
  reasonSchema,
  ruleIdSchema,
  sizeSchema,
  verdictSchema,
} from "./policy-values.ts";

const word = () => z.string().min(1).max(253);
const later = "Not built in this version: only the default is accepted.";
const unlimited = "Not built in this version: the key is refused.";

export const metadataSchema = () =>
  z.strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/u)
      .optional()
      .describe("A short name for people; letters, digits, dot, underscore, hyphen."),
    description: z.string().max(500).optional().describe("What the policy is for."),
  });

const granularMode = () => z.enum(["ask", "deny"]);
const approvalSchema = () =>
  z.union([
    z.enum(["auto-allow", "regular", "never", "untrusted", "on-request"]),
    z.strictObject({
      granular: z.strictObject({
        commands: granularMode().describe("A command that no rule decides."),
        writes: granularMode().optional().describe("A write outside the write roots."),
        egress: granularMode().optional().describe("A connection that no rule decides."),
        credentials: granularMode().optional().describe("The first use of a credential."),
        screen: granularMode().optional().describe("An irreversible act on a screen."),
      }),
    }),
  ]);

export const acceptedRiskSchema = () =>
  z.strictObject({
    what: word().describe("The refusal that is lifted: `egress.observe`."),
    why: reasonSchema().min(1).describe("Why that is acceptable."),
    owner: word().describe("Who answers for it."),
    until: daySchema().describe("The last day on which it holds, by UTC."),
  });

const filesystemSchema = () =>
  z.strictObject({
    readDefault: z
      .enum(["system", "none"])
      .optional()
      .describe(
        "`system`: the operating system is readable except its secrets, and the home directory is absent. `none`: only allowRead. Now: system.",
      ),
    allowRead: listOf(literalPathSchema())
      .optional()
      .describe("Literal paths that may be read, with all below. Write roots are readable too."),
    denyRead: listOf(pathPatternSchema())
      .optional()
      .describe(
        "Paths that may not be read (nor written), with all below. The deepest literal wins, a tie denies. Globs are not built in this version.",
      ),
    allowWrite: listOf(literalPathSchema())
      .optional()
      .describe("Write roots: directories in which everything may be written, except what is denied or protected."),
    denyWrite: listOf(literalPathSchema())
      .optional()
      .describe("Literal paths that may not be written, with all below. A deny always wins."),
    caches: z
      .array(cacheNameSchema())
      .max(16)
      .optional()
      .describe(
        "Package caches that all tasks of this project share, which name them too, and that outlive them. Without it a cache is the task's own and ends with it.",
      ),
    protect: z
      .strictObject({
        add: z
          .array(protectedNameSchema())
          .max(128)
          .optional()
          .describe(
            "Names such as `deploy.sh` or `.config/tool`: at any depth of a write root, in any letter case, with all below. Only added.",
          ),
      })
      .optional()
      .describe("More names that can never be created or changed in a write root."),
    strict: z
      .boolean()
      .optional()
      .describe(
        "Mediate every open: what a rule denies is unreadable from the moment it appears, and modes, owners, times and attributes outside write roots are held twice. Costs each call some microseconds.",
      ),
  });

const environmentSchema = () =>
  z.strictObject({
    pass: listOf(environmentPatternSchema())
      .optional()
      .describe(
        "Names (or beginnings followed by *) of the caller's variables that go inside. Loader variables, agent sockets and GLOVEBOX_* never do.",
      ),
    set: z
      .record(environmentNameSchema(), z.string().max(32_768))
      .optional()
      .describe("Variables with literal values; they win over passed ones. Never write a secret here."),
    homeFiles: z
      .record(homeFileSchema(), z.string().max(65_536))
      .optional()
      .describe("Files of the private home with literal content, such as `.npmrc`. Never write a secret here."),
    fakeEnvFiles: z.boolean().optional().describe(`Show .env files with placeholder values. ${later}`),
  });

const limitsSchema = () =>
  z.strictObject({
    cpuTime: durationSchema().optional().describe("Processor time of a command and all it starts, together; up to 24d."),
    cpuCores: z
      .number()
      .min(0.01)
      .max(1024)
      .optional()
      .describe("Processors that a command keeps busy at once; a fraction where the kernel can hold one."),
    memory: sizeSchema().optional().describe("Memory of the task, files in its private places included; from 64MiB up."),
    processes: z.int().min(1).max(1_000_000).optional().describe("Processes and threads of the task."),
    disk: sizeSchema().optional().describe("Bytes the task may keep: in its private places and added to its write roots; from 1MiB up."),
    openFiles: z.int().min(16).max(1_048_576).optional().describe("Open descriptors of one process."),
    output: sizeSchema().optional().describe("Output (stdout and stderr together) after which a command is ended; up to 1TiB."),
    returned: sizeSchema().optional().describe("Output handed back to a program; the rest is counted and hashed; up to 64MiB."),
    wall: durationSchema().optional().describe("Time after which a command is ended; up to 24d."),
    egressBytes: sizeSchema().optional().describe("Bytes that the task may send out, together; up to 1TiB."),
    egressConnections: z.int().min(0).max(10_000).optional().describe("Connections out that the task may have open at once."),
    pendingApprovals: z
      .int()
      .min(0)
      .max(10_000)
      .optional()
      .describe("Questions of one user to a person that may be open at once; 0 asks nobody."),
    denialsBeforeStop: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe(
        "Calls that the guard refused, and places that the gate refused (each counts once, however often it is tried), together, that stop the task; without it none do.",
      ),
  });

export const commandRuleSchema = madeOnce(() =>
  z.strictObject({
    id: ruleIdSchema().describe("Unique in the file; a stronger file replaces a rule by its id."),
    match: z.strictObject({
      argvPrefix: z
        .array(z.string().max(4096))
        .min(1)
        .max(64)
        .describe("The first words of the command, compared exactly. It judges the words given, not what a shell inside does with them."),
    }),
    verdict: verdictSchema().describe(
      "The strictest of all matching rules decides. `ask` asks a person, under `glovebox run --interactive`; otherwise it refuses.",
    ),
    reason: reasonSchema().optional().describe("Shown when the rule decides."),
  }),
);

const outsideArgumentSchema = () =>
  z.union([
    z.string().max(4096).describe("Exactly this word."),
    z.strictObject({ oneOf: z.array(z.string().max(4096)).min(1).max(64).describe("One of these words.") }),
    z.strictObject({
      name: z
        .int()
        .min(1)
        .max(255)
        .describe("A name of at most so many letters, digits, dots, underscores and hyphens, beginning with a letter or digit."),
    }),
  ]);

export const outsideEntrySchema = () =>
  z.strictObject({
    id: ruleIdSchema().describe("Named by `glovebox run --outside ID`."),
    program: z
      .string()
      .max(4096)
      .regex(/^\/[^\0]*$/u)
      .meta({ title: "Absolute path" })
      .describe("The program's absolute path."),
    pin: z
      .union([z.literal("root"), policyDigestSchema()])
      .describe(
        "`root`: the program and every directory above it belong to root and nobody else may write them. Or the digest of its content.",
      ),
    arguments: z
      .array(outsideArgumentSchema())
      .max(64)
      .describe("The words behind the program, each at its place; never more, never fewer."),
    cwd: literalPathSchema().optional().describe("Where it starts; `/` unless given."),
    environment: z
      .record(environmentNameSchema(), z.string().max(32_768))
      .optional()
      .describe("Variables with literal values. None of the caller's goes to it."),
    boundary: z.enum(["outside", "container", "microvm", "desktop", "wasi"]).optional().describe("Where it runs. Now: outside."),
    reason: reasonSchema().optional().describe("Shown in the question."),
  });

const browserRuleSchema = () =>
  z.strictObject({
    id: ruleIdSchema(),
    hosts: listOf(word()).optional(),
    actions: z
      .array(z.enum(["navigate", "read", "type", "click", "submit", "download", "upload"]))
      .max(16)
      .optional(),
    verdict: verdictSchema(),
    reason: reasonSchema().optional(),
  });

const credentialSchema = () =>
  z.strictObject({
    id: ruleIdSchema(),
    source: word().describe("Where the secret comes from; never the secret."),
    injector: word().describe("How the gate adds it."),
    hosts: listOf(word()),
    expires: durationSchema().optional(),
  });

const approvalRuleSchema = () =>
  z.strictObject({
    id: ruleIdSchema(),
    on: z.enum(["command", "write", "egress", "credential", "screen"]).describe("The questions that it is about: `command` or `egress`."),
    by: z.array(word()).min(1).max(4).describe("URLs that are told of each such question and may answer it: docs/approvals.md."),
    ca: word()
      .optional()
      .describe("A PEM file with the only authorities that may vouch for these https URLs. Absolute, or `~/x`. Absent: Node's own."),
    expires: durationSchema().optional().describe(`How long an answer holds. ${later}`),
  });

const auditSchema = () =>
  z.strictObject({
    argv: z.enum(["redacted", "digest"]).optional().describe("How command lines are kept in the task's encrypted blob."),
    env: z.enum(["names", "none"]).optional().describe(`What is kept of the environment. ${later}`),
    retention: durationSchema().optional().describe("How long records are kept; whole days, 1d to 3650d."),
    treeHead: durationSchema().optional().describe(`How often the ledger is signed. ${unlimited}`),
    anchors: listOf(word()).optional().describe(`Where tree heads are published. ${later}`),
  });

const testRequestSchema = () =>
  z
    .strictObject({
      argv: z
        .array(z.string().max(4096))
        .min(1)
        .max(1024)
        .optional()
        .describe("A command, started in the project directory unless cwd is given."),
      cwd: literalPathSchema().optional().describe("Only together with argv."),
      read: literalPathSchema().optional().describe("A path to read."),
      write: literalPathSchema().optional().describe("A path to write."),
      connect: word().optional().describe("A `host:port` to connect to, by any protocol."),
    })
    .refine((request) => [request.argv, request.read, request.write, request.connect].filter((asked) => asked !== undefined).length === 1, {
      params: { situation: "policy.request-not-one" },
    });

export const policyTestSchema = () =>
  z.strictObject({
    name: z.string().min(1).max(200).describe("Unique in the file."),
    request: testRequestSchema().describe("Exactly one of argv, read, write, connect."),
    expect: verdictSchema().describe("What the loaded policy must answer, or it is refused."),
  });

export const presetNameSchema = madeOnce(() => z.enum(["node", "python", "rust", "go", "java", "debian"]));
export type PresetName = z.infer<ReturnType<typeof presetNameSchema>>;

const containerSchema = madeOnce(() =>
  z.strictObject({
    runtime: z
      .enum(["runc", "crun", "runsc"])
      .optional()
      .describe("What starts containers (runsc is gVisor); never another one in its place. runc unless given."),
    template: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,31}$/u)
      .optional()
      .describe("What it starts from: a name of `glovebox template ls`. The programs of this machine unless given."),
    artifacts: z.int().min(0).max(10_000).optional().describe("Files that one command hands back through its OUTPUT_DIR, at most."),
    artifactBytes: sizeSchema().optional().describe("Bytes of those files together; from 1 up to 64GiB."),
    expires: durationSchema().optional().describe("How long a sandbox that stays open can be used by its id; from 1s up to 365d."),
  }),
);

export const policyDocumentSchema = madeOnce(() =>
  z.strictObject({
    apiVersion: z.literal("glovebox/v1").describe("Format of this document."),
    metadata: metadataSchema().optional().describe("Names and words for people."),
    floor: z.boolean().optional().describe("Only in the system file: makes it a ceiling that no later file and no flag widens."),
    extends: z.array(policyDigestSchema()).max(16).optional().describe(`Parents by hash; a child only narrows. ${later}`),
    presets: z
      .array(presetNameSchema())
      .max(16)
      .optional()
      .describe("Rules that follow from the configuration of package managers on this machine, added to those of the file."),
    boundary: z
      .enum(["auto", "process", "container", "microvm", "desktop", "wasi"])
      .optional()
      .describe("The kind of wall. Now: auto, process and container (auto gives process)."),
    container: containerSchema().optional().describe("Only with boundary: container."),
    approval: approvalSchema()
      .optional()
      .describe(
        "What no rule decides. Of commands: `auto-allow` runs it, `regular` asks a person, `never` runs it. Of connections: `regular` asks a person, the others refuse. `never` also denies what a rule would ask. The others are not built in this version.",
      ),
    uid: z.enum(["auto", "root"]).optional().describe(`Started as root: auto becomes an allocated user. ${later}`),
    allowUnsandboxed: z
      .boolean()
      .optional()
      .describe("Whether a person may be asked to let a command run outside any sandbox. Only in the system's and the user's own file."),
    nestedNamespaces: z
      .boolean()
      .optional()
      .describe(
        "Whether commands may make user, pid and net namespaces of their own, as Chromium's sandbox does. Widens what of the kernel they reach. Only in the system's and the user's own file.",
      ),
    outside: listOf(outsideEntrySchema())
      .optional()
      .describe(
        "Commands that cannot live in a sandbox, word by word; each use asks a person. Only in the system's and the user's own file.",
      ),
    acceptRisk: listOf(acceptedRiskSchema()).optional().describe("Refusals lifted until a day. Only in the system's and the user's file."),
    filesystem: filesystemSchema().optional().describe("What may be read and written."),
    environment: environmentSchema().optional().describe("The environment of every command; nothing else is inherited."),
    limits: limitsSchema().optional().describe("How much a command may use. Sizes and times are texts with units."),
    commands: listOf(commandRuleSchema()).optional().describe("Rules about commands: deny > ask > allow > default."),
    egress: listOf(egressRuleSchema()).optional().describe("Rules about connections: deny > ask > allow > deny."),
    allowLocal: listOf(word()).optional().describe("Places that are not public and may be reached, each as `host:port`."),
    browser: listOf(browserRuleSchema()).optional().describe(`Rules about browser actions. ${later}`),
    credentials: listOf(credentialSchema()).optional().describe(`Credentials that the gate may add. ${later}`),
    approvals: listOf(approvalRuleSchema()).optional().describe("Who else may answer. Only in the system's and the user's own file."),
    audit: auditSchema().optional().describe("What the ledger keeps, and how long."),
    tests: listOf(policyTestSchema()).optional().describe("Questions with expected answers, asked whenever the policy is loaded."),
  }),
);

/** A document as its author wrote it: everything optional but the version. */
export type PolicyDocument = z.infer<ReturnType<typeof policyDocumentSchema>>;
export type OutsideEntry = z.infer<ReturnType<typeof outsideEntrySchema>>;
export type AcceptedRisk = z.infer<ReturnType<typeof acceptedRiskSchema>>;
export type ApprovalRule = z.infer<ReturnType<typeof approvalRuleSchema>>;
export type CommandRule = z.infer<ReturnType<typeof commandRuleSchema>>;
export type PolicyTest = z.infer<ReturnType<typeof policyTestSchema>>;
