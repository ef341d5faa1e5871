// What works on this machine, wall by wall, with the fix for what does not; what no sandbox gives, and what this version does not have yet.
import type { Boundary, ProbeLine } from "../contracts/boundary.ts";
import type { DoctorReport } from "../contracts/door.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";

/** What this version does not have yet, under the name it will have. */
const notBuilt = ["credentials", "microvm", "desktop", "wasi"] as const;

/** What programs may want and no sandbox gives: told here, in docs/known-incompatibilities.md, and shown by test/e2e/known-incompatibilities.test.ts. */
const incompatible = [
  { name: "io_uring", detail: "EPERM", instead: "doctor.instead.io-uring" },
  { name: "seccomp listeners", detail: "EBUSY", instead: "doctor.instead.seccomp-listener" },
  { name: "execute-only programs", detail: "EACCES", instead: "doctor.instead.execute-only" },
  { name: "mount sandboxes", detail: "bwrap, unshare, docker, flatpak: EPERM", instead: "doctor.instead.mount-sandbox" },
  { name: "Chromium's sandbox", detail: "--no-sandbox", instead: "doctor.instead.chromium" },
  { name: "setuid programs", detail: "sudo, su, ping", instead: "doctor.instead.setuid" },
] as const;

export interface DoctorParts {
  readonly boundary: Boundary;
  /** Which this machine may lack: nothing needs one unless a policy asks for it. */
  readonly containers: readonly Boundary[];
  readonly stateDirectory: string;
  /** Opens what records are written with and returns how many there are; rejects when records could not be written. */
  readonly checkLedger: () => Promise<string>;
}

async function ledgerLine({ checkLedger, stateDirectory }: DoctorParts): Promise<ProbeLine> {
  try {
    return {
      name: "ledger",
      state: "works",
      detail: `${stateDirectory} (records: ${await checkLedger()})`,
      fix: undefined,
      required: true,
    };
  } catch (error) {
    const fix = error instanceof GloveboxError ? error.hint : { key: "doctor.ledger-fix", values: { directory: stateDirectory } };
    return { name: "ledger", state: "missing", detail: stateDirectory, fix, required: true };
  }
}

/** What is the same for every runtime, once. */
async function containerLines({ containers }: DoctorParts): Promise<readonly ProbeLine[]> {
  const reports = await Promise.all(containers.map((container) => container.probe()));
  const lines = reports.flatMap((report) => report.lines.map((line): ProbeLine => ({ ...line, required: false })));
  return lines.filter(({ name }, index) => lines.findIndex((line) => line.name === name) === index);
}

/** Never throws. */
export async function runDoctor(parts: DoctorParts): Promise<DoctorReport> {
  const [probe, ledger] = await Promise.all([parts.boundary.probe(), ledgerLine(parts)]);
  const container = await containerLines(parts);
  const pending = notBuilt.map((name): ProbeLine => ({ name, state: "not-built", detail: "", fix: undefined, required: false }));
  const never = incompatible.map(({ name, detail, instead }): ProbeLine => ({
    name,
    state: "incompatible",
    detail,
    fix: { key: instead },
    required: false,
  }));
  return {
    usable: probe.usable && ledger.state === "works",
    sections: [
      { name: probe.kind, lines: probe.lines },
      ...(container.length === 0 ? [] : [{ name: "container", lines: container }]),
      { name: "record", lines: [ledger] },
      { name: "incompatible", lines: never },
      { name: "later", lines: pending },
    ],
  };
}
