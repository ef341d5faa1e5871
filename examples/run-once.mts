// One command in a sandbox of its own: what it wrote, how it ended, the files it handed back, and the seven answers for it.
//   node run-once.mts PROJECT COMMAND [ARG...]
import { Glovebox, GloveboxError } from "glovebox";

const [project = ".", program = "id", ...rest] = process.argv.slice(2);

await using glovebox = new Glovebox();
try {
  const result = await glovebox.run([program, ...rest], { project, policy: { limits: { wall: "1m" } } });
  process.stdout.write(result.stdout.bytes);
  process.stderr.write(result.stderr.bytes);
  console.log(`${result.outcome}, exit code ${result.exitCode}, ${Math.round(result.durationMs)} ms, task ${result.task}`);
  for (const { question, lines } of result.sheet.answers) console.log(`${question}: ${lines.map(({ text }) => text).join("; ")}`);
  for (const { artifacts } of await glovebox.artifacts(result.task).list())
    for (const { name, bytes, sha256 } of artifacts) console.log(`handed back: ${JSON.stringify(name)}, ${bytes} bytes, sha256 ${sha256}`);
  process.exitCode = result.exitCode;
} catch (error) {
  if (!(error instanceof GloveboxError)) throw error;
  // Nothing was started.
  console.error(`${error.code}: ${error.message}\n${error.hint}`);
  process.exitCode = 1;
}
