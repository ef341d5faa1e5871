// A thousand commands in one sandbox leave no descriptor, process or file. INVARIANT I-09
import { test } from "node:test";
import { runManyCommands } from "../fixtures/many-commands.ts";
import { serveBroker } from "../fixtures/served-broker.ts";

test("a thousand commands leave nothing in the broker, and nothing on the host when their sandbox is closed", async (t) => {
  await runManyCommands(await serveBroker(t), 1000);
});
