// Frames of the door: what one side writes the other reads, and bytes that cannot come are refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { FrameDecoder } from "../kit/frame-codec.ts";
import { execFrames, parseExec, parseResult, refusedFrame, resultFrame } from "./door-frames.ts";
import { frameTypes, longestFrom, sizes } from "./protocol.ts";
import { violation } from "./violation.ts";

const access = { sandbox: "s-0193f0c2a1b2-4d5e6f708192", token: "0f".repeat(32) };
const strings = fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "").toWellFormed());
const variables = fc.dictionary(fc.stringMatching(/^[A-Z_]{1,8}$/u), strings, { noNullPrototype: true });

function decode(bytes: Buffer, side: "client" | "broker") {
  return [...new FrameDecoder(longestFrom(side), violation).push(bytes)];
}

test("parseExec() reads back what execFrames() wrote", () => {
  fc.assert(
    fc.property(
      fc.array(strings, { minLength: 1 }),
      variables,
      variables,
      fc.tuple(fc.boolean(), fc.option(fc.integer({ min: 1, max: 86_400_000 }))),
      (words, callerEnvironment, environment, [hasInput, limit]) => {
        const hearsAsked = !hasInput;
        const [program = "", ...rest] = words;
        const command = { cwd: "/project", callerEnvironment, environment, ...(limit === null ? {} : { wallMs: limit }) };
        const frames = decode(
          Buffer.concat(execFrames(3, access, { ...command, argv: [program, ...rest], hasInput, hearsAsked })),
          "client",
        );
        const last = frames.at(-1);
        const block = Buffer.concat(frames.slice(0, -1).map(({ payload }) => payload));
        assert.ok(last?.type === frameTypes.exec && last.stream === 3);
        const read = parseExec(last.payload, block);
        assert.deepEqual(read, { access, command: { ...command, argv: [program, ...rest] }, hasInput, isChinese: false, hearsAsked });
      },
    ),
  );
});

test("parseExec() hears that the client reads Chinese, and refuses counts that do not fit what was sent", () => {
  const frames = decode(
    Buffer.concat(execFrames(1, access, { argv: ["true"], callerEnvironment: {}, environment: {}, hasInput: true })),
    "client",
  );
  const payload = Buffer.from(frames.at(-1)?.payload ?? []);
  payload.writeUInt32LE(8, 0);
  assert.equal(parseExec(payload, frames[0]?.payload ?? Buffer.alloc(0)).isChinese, true);
  payload.writeUInt32LE(2, 8);
  assert.throws(() => parseExec(payload, frames[0]?.payload ?? Buffer.alloc(0)), { code: "BROKER_PROTOCOL" });
});

test("parseResult() reads back what resultFrame() wrote", () => {
  const result = {
    exitCode: 137,
    outcome: "failed",
    child: { kind: "signalled", value: 9 },
    stdoutBytes: 2 ** 40,
    stderrBytes: 1,
    durationMs: 12,
    ledger: { firstSeq: 3, lastSeq: 5 },
    isLeftRunning: true,
    action: "a-0193f0c2a1b2-4d5e6f708192",
  } as const;
  const notes = ["said\0 of it", "x".repeat(20_000), "y".repeat(20_000), "z"];
  const [frame] = decode(resultFrame(7, { ...result, task: "t", limitHits: [], notes: [] }, notes), "broker");
  const payload = frame?.payload ?? Buffer.alloc(0);
  assert.deepEqual(parseResult(payload), result);
  const texts = payload.subarray(sizes.resultBytes).toString().split("\0");
  assert.equal(texts[0], "said of it");
  assert.ok(payload.length <= sizes.controlMax && texts.at(-1) === "" && texts[1]?.startsWith("xxx") === true);
});

test("refusedFrame() has three texts, however long they are", () => {
  const [frame] = decode(refusedFrame(1, 120, ["POLICY_DENIED", "m".repeat(30_000), "h".repeat(30_000)]), "broker");
  assert.equal(frame?.payload.subarray(4).toString().split("\0").length, 4);
});

test("FrameDecoder of the door gives frames or BROKER_PROTOCOL for any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        for (const { payload } of decode(Buffer.from(bytes), "client")) assert.ok(payload.length <= sizes.dataMax);
      } catch (error) {
        assert.ok(error instanceof GloveboxError && error.code === "BROKER_PROTOCOL");
      }
    }),
  );
});
