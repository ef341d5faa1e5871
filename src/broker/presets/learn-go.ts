// Asks `go env`, which has merged Go's defaults, the user's file and the caller's variables.
import type { PresetMachine } from "./preset-machine.ts";
import { answerOf, filesAt, ownVariables, programFacts, requireProgram, type LearntFacts } from "./preset-parts.ts";

/** @throws PresetFault */
export async function learnGo(machine: PresetMachine): Promise<LearntFacts> {
  const go = await requireProgram(machine, "go");
  const pattern = /^(?:GOPROXY|GOSUMDB|GOPRIVATE|GONOPROXY|GONOSUMDB|GOINSECURE|GOENV|XDG_CONFIG_HOME|SSL_CERT_FILE)$/u;
  const { environment, notes } = ownVariables(machine, pattern);
  const names = ["GOPROXY", "GOSUMDB", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOINSECURE", "GOENV", "GOROOT"];
  // GOTOOLCHAIN: the installed one answers, none is downloaded.
  const asked = { ...environment, GOTOOLCHAIN: "local", GOCACHE: "off", GOTELEMETRY: "off" };
  const [env, root, file] = await Promise.all([
    answerOf(machine, go, ["env", "-json", ...names], asked),
    answerOf(machine, go, ["env", "GOROOT"], asked),
    answerOf(machine, go, ["env", "GOENV"], asked),
  ]);
  const place = file.trim();
  const goRoot = root.trim();
  const facts = programFacts(machine, [go]);
  const hidden = goRoot.startsWith("/") && !machine.isShown(goRoot) ? [machine.real(goRoot)] : [];
  return {
    answers: { env },
    environment,
    files: place.startsWith("/") ? await filesAt(machine, "user", [place]) : [],
    ...facts,
    toolDirectories: [...new Set([...facts.toolDirectories, ...hidden])],
    notes,
  };
}
