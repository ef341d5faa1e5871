// The matrix of the escape battery as root, with one wall and with none: the short lane has it as an ordinary user.
import { after, before, test } from "node:test";
import { attacks } from "../escape/attacks.ts";
import { insideConfigurations } from "../escape/harness/attack.ts";
import { Battery, isMine, shortConfigurations } from "../escape/harness/prove.ts";

let battery: Battery;

before(async () => {
  battery = await Battery.open();
});
after(() => battery[Symbol.asyncDispose]());

for (const attack of attacks.filter(isMine)) {
  const tried = shortConfigurations(attack);
  const left = insideConfigurations.filter((configuration) => !tried.includes(configuration));
  if (left.length > 0) test(`with ${left.join(", ")}: an attack that ${attack.name}`, () => battery.prove(attack, left));
}
