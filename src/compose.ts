// The composition root: the only place that knows which boundaries exist. main.ts (command line) and later lib.ts get their door from here.
import { randomBytes } from "node:crypto";
import path from "node:path";
import {
  artifactDoor,
  type BrokerParts,
  expireCaches,
  expireQuestions,
  findReplaced,
  forgetReplaced,
  holdBroker,
  keepReplaced,
  listCaches,
  noSteps,
  type PolicyPlaces,
  reapBuilds,
  templateDoor,
  prepareState,
  opensConnections,
  readNetworkSettings,
  pruneTasks,
  reapAbandonedTasks,
  type ReapSandbox,
  reapOutside,
  removeCaches,
  runCommand,
  type SandboxesNeeds,
  type StateLayout,
  stateLayout,
  type Step,
  taskSheetFromRecords,
  requireEnded,
  undoTask,
} from "./broker/broker.ts";
import {
  homeInside,
  isShownByDefault,
  openProcessBoundary,
  reapProcessSandbox,
  requireBubblewrap,
  withheldEntries,
} from "./boundaries/process/process.ts";
import { expireKept, loadChanges, type LoadedChanges, taskDiff } from "./changes/changes.ts";
import { ComposedBroker } from "./compose-broker.ts";
import { judgeSpecFile, type PolicyLoader, policyLoader, policyPlaces } from "./compose-policy.ts";
import type { Boundary, HostUser } from "./contracts/boundary.ts";
import { noChanges } from "./contracts/changes.ts";
import type { ChangesSelection, Door, EffectivePolicy, PolicySelection, RunIo, RunRequest, RunResult } from "./contracts/door.ts";
import { GateProcess } from "./egress/egress.ts";
import { taskIdSchema } from "./contracts/ids.ts";
import { hasListedName } from "./contracts/listed-names.ts";
import type { CompiledPolicy } from "./contracts/policy-port.ts";
import { version } from "./contracts/version.ts";
import { canonicalPath } from "./kit/canonical-path.ts";
import { watchFiles } from "./kit/changed-file.ts";
import { hostUser } from "./kit/host-user.ts";
import { processStartTime } from "./kit/process-identity.ts";
import { tryProcessLock } from "./kit/process-lock.ts";
import { systemClock } from "./kit/system-clock.ts";
import { openLedger, openLedgerReader, type OpenedLedger, verifyLedger } from "./ledger/ledger.ts";
import { explainConnection, explainPolicy, judgePlace, openSpecRefuser, policySchema } from "./policy/policy.ts";
import type { ProofParts } from "./proofs/proofs.ts";

export interface ComposeOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The directory that holds src/ and build/. */
  readonly installation: string;
  /** Names the points between which a crash may come; for tests. */
  readonly step?: Step;
  /** In place of the process boundary; for tests of what is said when a wall is missing. */
  readonly boundary?: Boundary;
}

/** Where nobody may plant a program of ours: an installed package finds its Node beside itself. INVARIANT I-15 */
function ownHouse(installation: string): string {
  const above = path.dirname(installation);
  return path.basename(above) === "node_modules" ? above : installation;
}

// Spelled out: a bundle knows these two words only whole.
const gateEntry = path.join(import.meta.dirname, `gate${path.extname(import.meta.filename)}`);

class ComposedDoor implements Door {
  readonly #options: ComposeOptions;
  readonly #user: HostUser;
  readonly #layout: StateLayout;
  readonly #places: PolicyPlaces;
  readonly #policies: PolicyLoader;
  readonly #broker: ComposedBroker;
  readonly artifacts: Door["artifacts"];
  readonly templates: Door["templates"];
  readonly #clock = systemClock();
  #ledger: Promise<OpenedLedger> | undefined;
  #gate: GateProcess | undefined;

  constructor(options: ComposeOptions) {
    this.#options = options;
    this.#user = hostUser();
    this.#layout = stateLayout(this.#user, options.environment);
    this.#places = policyPlaces(this.#user);
    this.#policies = this.#policiesFor(options.environment);
    this.artifacts = artifactDoor(this.#layout, () => this.#readyLedger());
    this.templates = templateDoor({ layout: this.#layout, nowMs: () => this.#clock.wallMs(), ready: () => this.#readyLedger() });
    this.#broker = new ComposedBroker({
      layout: this.#layout,
      uid: this.#user.uid,
      webhookKey: path.join(this.#places.userDirectory, "approval-webhook.key"),
      environment: options.environment,
      installation: options.installation,
      runningFile: import.meta.filename,
      makeReady: () => this.#readyLedger(),
      sandboxes: () => this.#sandboxesParts(),
    });
  }

  /** @param environment of whoever asks: what presets mean depends on it */
  #policiesFor(environment: ComposeOptions["environment"]): PolicyLoader {
    const user = this.#user;
    const isShown = (file: string): boolean => isShownByDefault(user.home, file);
    return policyLoader({ user, environment, layout: this.#layout, places: this.#places, isShown, homeInside, clock: this.#clock });
  }

  #boundary(): Boundary {
    const { installation, boundary } = this.#options;
    if (boundary !== undefined) return boundary;
    return openProcessBoundary({
      guardPath: path.join(installation, "build/guard"),
      launcherPath: path.join(installation, "build/launcher"),
      maskerPath: path.join(installation, "build/masker"),
      captivePath: path.join(installation, "build/captive"),
      sharedLockPath: path.join(this.#layout.state, "roots.lock"),
      protectedPaths: [
        { path: canonicalPath(this.#layout.state), access: "hidden" },
        { path: canonicalPath(this.#layout.runtime), access: "hidden" },
        // What a command could write here would be the next run's policy. INVARIANT I-15
        { path: canonicalPath(this.#places.userDirectory), access: "hidden" },
        { path: canonicalPath(ownHouse(installation)), access: "read-only" },
      ],
    });
  }

  /** Only who asks for one needs the room. */
  async #container(runtime: CompiledPolicy["runtime"]): Promise<Boundary> {
    const { installation } = this.#options;
    const { openContainerBoundary } = await import("./boundaries/container/container.ts");
    const built = (name: string): string => path.join(installation, "build", name);
    const paths = { guardPath: built("guard"), launcherPath: built("launcher"), captivePath: built("captive") };
    // An ordinary user can map nobody but himself: to uid 0, without a capability.
    const refuseOpenDocument = await openSpecRefuser({ isRootInside: true });
    return openContainerBoundary({ runtime, ...paths, refuseOpenDocument });
  }

  /** INVARIANT I-02: the one that the policy names, and never another in its place. */
  async #boundaryFor({ boundary, runtime }: CompiledPolicy): Promise<Boundary> {
    return boundary === "container" && this.#options.boundary === undefined ? this.#container(runtime) : this.#boundary();
  }

  /** Its program lies beside this one: source, bundle or compiled. It may read nothing else. */
  #openGate(): GateProcess {
    if (this.#gate !== undefined && !this.#gate.isGone) return this.#gate;
    const dirname = import.meta.dirname;
    const readable = gateEntry.endsWith(".cjs")
      ? [gateEntry]
      : [
          `${dirname}/*`,
          `${path.join(this.#options.installation, "node_modules")}/*`,
          path.join(this.#options.installation, "package.json"),
        ];
    this.#gate = new GateProcess({ node: process.execPath, entry: gateEntry, readable });
    return this.#gate;
  }

  #openLedger(): Promise<OpenedLedger> {
    this.#ledger ??= openLedger({ directory: this.#layout.state, clock: this.#clock, randomBytes, software: `glovebox-${version}` });
    return this.#ledger;
  }

  /** A container sees nothing of the host that could be withheld. */
  async policy(selection: PolicySelection, policies = this.#policies): Promise<EffectivePolicy> {
    const policy = await policies.load(await policies.sources(selection), selection.projectDirectory);
    return { ...policy, withheld: policy.boundary === "container" ? [] : withheldEntries(policy.paths, this.#user) };
  }

  /** Opens the ledger and cleans up: what dead brokers left, and what has expired. */
  async #readyLedger(): Promise<OpenedLedger> {
    prepareState(this.#layout, this.#user.uid);
    const ledger = await this.#openLedger();
    const { bootId: boot } = this.#clock;
    const nowMs = (): number => this.#clock.wallMs();
    await expireQuestions(
      { layout: this.#layout, ledger, recordsOf: (task) => openLedgerReader({ directory: this.#layout.state }).task(task) },
      tryProcessLock,
    );
    await reapAbandonedTasks({ layout: this.#layout, boot, ledger, reapSandbox: this.#reapSandbox, nowMs }, tryProcessLock);
    for (const root of [this.#layout.before, this.#layout.artifacts, this.#layout.quarantine]) await expireKept(root, nowMs());
    await expireCaches(this.#cacheParts());
    await reapBuilds(this.#layout);
    return ledger;
  }

  /** undefined when the task changed nothing. */
  #changesOf({ task, since }: ChangesSelection): LoadedChanges | undefined {
    const reader = openLedgerReader({ directory: this.#layout.state });
    const records = reader.task(task);
    requireEnded(task, records);
    const id = taskIdSchema.parse(task);
    return loadChanges(id, records, { beforeDirectory: this.#layout.before, unseal: reader.unsealer(id) }, since);
  }

  diff: Door["diff"] = async ({ isBrief, ...selection }) => {
    const { task, paths } = selection;
    await this.#readyLedger();
    const loaded = this.#changesOf(selection);
    return loaded === undefined ? { task, entries: [], counts: noChanges } : taskDiff(loaded, { paths, isBrief });
  };

  undo: Door["undo"] = async ({ isPartial, ...selection }) => {
    const { task, paths } = selection;
    const ledger = await this.#readyLedger();
    const loaded = this.#changesOf(selection);
    return loaded === undefined ? { task, restored: [], unchanged: [], refused: [] } : undoTask(ledger, loaded, { paths, isPartial });
  };

  #cacheParts() {
    return { layout: this.#layout, nowMs: () => this.#clock.wallMs() };
  }

  readonly caches: Door["caches"] = {
    list: async () => {
      await this.#readyLedger();
      return listCaches(this.#cacheParts());
    },
    remove: async (ids) => {
      await this.#readyLedger();
      return removeCaches(this.#cacheParts(), ids);
    },
  };

  readonly settings: Door["settings"] = {
    find: (file) => findReplaced(this.#layout.settings, file),
    keep: async (replaced) => {
      prepareState(this.#layout, this.#user.uid);
      await keepReplaced(this.#layout.settings, replaced);
    },
    forget: (file) => forgetReplaced(this.#layout.settings, file),
  };

  run: Door["run"] = async (request, io) => this.#runUnder(() => this.policy(request.policy), request, io);

  async #runUnder(policyNow: () => Promise<CompiledPolicy>, request: RunRequest, io: RunIo): Promise<RunResult> {
    const { policy, parts } = await this.#partsUnder(policyNow, request.outside !== undefined);
    return runCommand(parts, policy, request, io);
  }

  async #partsUnder(
    policyNow: () => Promise<CompiledPolicy>,
    isOutside = false,
  ): Promise<{ readonly policy: CompiledPolicy; readonly parts: BrokerParts }> {
    const policy = await policyNow();
    const needsGate = !isOutside && opensConnections(policy.egress);
    const network = needsGate
      ? await readNetworkSettings("/etc/hosts", path.join(this.#places.userDirectory, "network.json"), this.#user.uid)
      : { hosts: {} };
    // It starts while the ledger and the sandbox are opened, and serves nobody until a decision has been recorded.
    if (needsGate) this.#openGate();
    const ledger = await this.#readyLedger();
    const { bootId: boot } = this.#clock;
    const owner = { pid: process.pid, startTime: (await processStartTime(process.pid)) ?? "0", boot };
    const parts = {
      layout: this.#layout,
      ledger,
      boundary: await this.#boundaryFor(policy),
      ids: { nowMs: () => this.#clock.wallMs(), randomBytes },
      clock: this.#clock,
      user: this.#user,
      owner,
      step: this.#options.step ?? noSteps,
      policyHashNow: async () => (await policyNow()).hash,
      gate: () => this.#openGate(),
      network,
    };
    return { policy, parts };
  }

  reachBroker: Door["reachBroker"] = () => this.#broker.reachBroker();
  findBroker: Door["findBroker"] = () => this.#broker.findBroker();
  pruneTasks: Door["pruneTasks"] = (options) => pruneTasks(this.#layout, { ...options, ready: () => this.#readyLedger() });

  stopBroker: Door["stopBroker"] = () => this.#broker.stopBroker();
  reachRunningBroker: Door["reachRunningBroker"] = () => this.#broker.reachRunningBroker();
  serveBroker: Door["serveBroker"] = (serving) => this.#broker.serveBroker(serving);

  #sandboxesParts(): SandboxesNeeds {
    const programs = ["guard", "launcher", "masker", "captive"].map((name) => path.join(this.#options.installation, "build", name));
    return {
      nowMs: () => this.#clock.wallMs(),
      replacedProgram: watchFiles([...programs, gateEntry]),
      prepare: ({ policy, callerEnvironment }) => {
        const policies = this.#policiesFor(callerEnvironment);
        return this.#partsUnder(() => this.policy(policy, policies));
      },
    };
  }

  holdBroker: Door["holdBroker"] = () => holdBroker(this.#sandboxesParts());

  /** The documents are those of the selection; the project that their relative places mean is the throw-away one. */
  #proofParts(selection: PolicySelection): ProofParts {
    return {
      user: this.#user,
      environment: this.#options.environment,
      policyFor: async (projectDirectory) =>
        this.#policies.load(await this.#policies.sources(selection), projectDirectory, selection.projectDirectory),
      run: (policy, request, io) => this.#runUnder(async () => policy, request, io),
      recordsOf: (task) => openLedgerReader({ directory: this.#layout.state }).task(task),
      recentRecords: () => openLedgerReader({ directory: this.#layout.state }).list({ limit: 50 }),
      verify: () => verifyLedger({ directory: this.#layout.state }),
    };
  }

  prove: Door["prove"] = async (selection) => (await import("./proofs/proofs.ts")).proveSheet(this.#proofParts(selection));

  challenge: Door["challenge"] = async (selection, { script, ask }) => {
    const bubblewrap = requireBubblewrap();
    const { uid, home } = this.#user;
    const { runChallenge } = await import("./proofs/proofs.ts");
    return runChallenge(this.#proofParts(selection), { script, ask, control: { bubblewrap, uid, home, state: this.#layout.state } });
  };

  checklist: Door["checklist"] = async (selection) => (await import("./proofs/proofs.ts")).checkPoints(this.#proofParts(selection));

  readonly #reapSandbox: ReapSandbox = async (sandboxId, objects) => {
    const named = (kind: string): readonly string[] => objects.filter((object) => object.kind === kind).map(({ name }) => name);
    const outside = reapOutside(sandboxId);
    // First: control groups that are not empty cannot be removed.
    const { reapContainerSandbox } = await import("./boundaries/container/container.ts");
    const contained = await reapContainerSandbox({ sandboxId, cgroups: named("cgroup") });
    // The private directory is the reaper's: what the sandbox changed is read from it first.
    const reaped = await reapProcessSandbox({ sandboxId, cgroups: named("cgroup") });
    return {
      ...reaped,
      processes: contained.processes + reaped.processes + outside,
      cgroups: contained.cgroups + reaped.cgroups,
    };
  };

  doctor: Door["doctor"] = async () => {
    const checkLedger = async (): Promise<string> => {
      prepareState(this.#layout, this.#user.uid);
      return `${(await (await this.#openLedger()).seal()).size}`;
    };
    const { runDoctor } = await import("./doctor/doctor.ts");
    const { runtimeNames } = await import("./boundaries/container/container.ts");
    const containers = await Promise.all(runtimeNames.map((runtime) => this.#container(runtime)));
    return runDoctor({ boundary: this.#boundary(), containers, stateDirectory: this.#layout.state, checkLedger });
  };

  explainPolicy: Door["explainPolicy"] = async (selection) => {
    const policy = await this.policy(selection);
    return explainPolicy(policy, policy.withheld);
  };

  explainConnection: Door["explainConnection"] = async (selection, place) =>
    explainConnection(await this.policy(selection), place, this.#clock.wallMs());

  explainTask: Door["explainTask"] = async (task) =>
    taskSheetFromRecords(task, openLedgerReader({ directory: this.#layout.state }).task(task));

  judgePlace: Door["judgePlace"] = async (selection, question) => {
    const { paths } = await this.policy(selection);
    return judgePlace(paths, question, {
      canonicalPath,
      isShown: (place) => isShownByDefault(this.#user.home, place),
      isProtected: (place) => hasListedName(place, paths.protectedNames),
    });
  };

  importPolicy: Door["importPolicy"] = async (request) => this.#policies.importSettings(request);
  judgePodSecurity: Door["judgePodSecurity"] = judgeSpecFile;
  checkPolicyFile: Door["checkPolicyFile"] = async (file, projectDirectory) => this.#policies.checkFile(file, projectDirectory);
  trustPolicy: Door["trustPolicy"] = async (projectDirectory) => this.#policies.trust(projectDirectory);
  policySchema: Door["policySchema"] = () => policySchema();
  records: Door["records"] = async (filter) => openLedgerReader({ directory: this.#layout.state }).list(filter);
  record: Door["record"] = async (seq) => openLedgerReader({ directory: this.#layout.state }).read(seq);
  verify: Door["verify"] = (options) => verifyLedger({ directory: this.#layout.state, ...options });

  async close(): Promise<void> {
    await this.#gate?.stop();
    // A ledger that would not open has said so to whoever asked for it.
    await this.#ledger?.then(
      (ledger) => ledger.close(),
      () => {},
    );
  }
}

/** A door with everything behind it. Nothing is opened until it is asked for something. */
export function composeDoor(options: ComposeOptions): Door & { close(): Promise<void> } {
  return new ComposedDoor(options);
}
