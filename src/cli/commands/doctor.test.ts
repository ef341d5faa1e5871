// `glovebox doctor`: the table, its fixes, the exit code, and the same as JSON.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DoctorReport } from "../../contracts/door.ts";
import { callCli } from "../testing/run-fake-cli.ts";

const broken: DoctorReport = {
  usable: false,
  sections: [
    {
      name: "process",
      lines: [
        {
          name: "bubblewrap",
          state: "missing",
          detail: "",
          fix: { key: "doctor.ledger-fix", values: { directory: "/s\u001B[31m" } },
          required: true,
        },
        { name: "landlock", state: "works", detail: "ABI 7 \u202E", fix: undefined, required: true },
      ],
    },
    { name: "surprise", lines: [{ name: "gate", state: "not-built", detail: "", fix: undefined, required: false }] },
  ],
};
const door = { doctor: async () => broken };

test("doctor exits 0 on a usable machine and 122 otherwise", async () => {
  assert.equal((await callCli(["doctor"])).code, 0);
  assert.equal((await callCli(["doctor"], { door })).code, 122);
  assert.equal((await callCli(["doctor", "--json"], { door })).code, 122);
});

test("doctor shows each part with its state, the fix below it, and what is not built yet", async () => {
  const out = (await callCli(["doctor"], { door })).out();
  assert.match(out, /^Process boundary\n {2}bubblewrap {2}missing +\(needed\)\n {6}fix: Make "\/s\\x1b\[31m" a private/mu);
  assert.match(out, /^ {2}landlock {4}works +ABI 7 \\u\{202e\}$/mu);
  assert.match(out, /^surprise\n {2}gate {8}not built yet$/mu);
});

test("doctor aligns the columns in Chinese too", async () => {
  const out = (await callCli(["doctor", "--lang", "zh"], { door })).out();
  assert.match(out, /^ {2}bubblewrap {2}缺失 {6}（必需）/mu);
  assert.match(out, /^ {2}landlock {4}可用 {6}ABI 7/mu);
});

test("doctor --json keeps the data and adds the fix as text", async () => {
  const report = JSON.parse((await callCli(["doctor", "--json"], { door })).out()) as {
    usable: boolean;
    sections: { lines: { fix: { text: string } | null }[] }[];
  };
  assert.equal(report.usable, false);
  assert.match(report.sections[0]?.lines[0]?.fix?.text ?? "", /private/u);
  assert.equal(report.sections[0]?.lines[1]?.fix, null);
});
