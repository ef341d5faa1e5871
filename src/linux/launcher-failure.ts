// Turns what the launcher says on its way into the errors that tell a person what to do.
import { GloveboxError } from "../contracts/glovebox-error.ts";

function unavailable(situation: string, values: Readonly<Record<string, string | number>>): GloveboxError {
  return new GloveboxError("WALL_UNAVAILABLE", situation, { values });
}

/** `launcher: STEP PATH ERRNO`, one line, the path percent-encoded. */
const launcherLine = /^launcher: (\w+) (\S+) (\S+)$/mu;

function errorOf(step: string, encoded: string, errno: string): GloveboxError {
  const path = /%(?![0-9a-f]{2})/u.test(encoded)
    ? encoded
    : Buffer.from(
        encoded.replaceAll(/%([0-9a-f]{2})/gu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        "latin1",
      ).toString();
  // The id map is held by a user namespace of its own: ENOSPC and EPERM are what the kernel says when there may be none (user_namespaces(7)).
  if (step === "idmap" && ["ENOSPC", "EPERM", "EUSERS"].includes(errno))
    return unavailable("wall.user-namespaces", { path, detail: errno });
  if (step === "privacy" && errno !== "EAGAIN") return unavailable("wall.user-namespaces", { path: "launcher", detail: errno });
  if (step === "changed") return new GloveboxError("SANDBOX_OPEN_FAILED", "wall.changed-while-opening", { values: { path } });
  if (errno === "EAGAIN") return unavailable("wall.process-limit", { path, detail: errno });
  if (step === "uid") return unavailable("wall.uid-taken", { uid: path });
  return step === "idmap"
    ? unavailable("wall.idmap", { path, detail: errno })
    : unavailable("wall.launcher", { step, path, detail: errno });
}

/** Of all that was written to standard error; undefined when the launcher complained of nothing. */
export function launcherError(stderr: string): GloveboxError | undefined {
  const [, step, encoded, errno] = launcherLine.exec(stderr) ?? [];
  return step === undefined || encoded === undefined || errno === undefined ? undefined : errorOf(step, encoded, errno);
}
