// The files of an open sandbox for whoever holds its token and no more of the library.
import type { SandboxAccess, SandboxCommand, SandboxDoor } from "../contracts/sandbox-door.ts";
import { performCaptured } from "./command-call.ts";
import type { Say } from "./public-error.ts";
import { SandboxFiles } from "./sandbox-files.ts";
import { toldResult } from "./told-result.ts";

export interface FilesParts {
  readonly door: Pick<SandboxDoor, "exec">;
  readonly access: SandboxAccess;
  readonly callerEnvironment: SandboxCommand["callerEnvironment"];
  readonly say: Say;
}

export function filesOfSandbox({ door, access, callerEnvironment, say }: FilesParts): SandboxFiles {
  return new SandboxFiles((argv, options) => {
    const command = { argv, callerEnvironment, environment: options.env ?? {} };
    return performCaptured({ say, perform: async (io) => toldResult(await door.exec(access, command, io), say) }, options);
  }, say);
}
