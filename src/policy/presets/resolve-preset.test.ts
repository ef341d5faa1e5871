// Where the caches of a preset's tools are: below the private home, whatever a shared configuration says. INVARIANT I-16
import assert from "node:assert/strict";
import { test } from "node:test";
import { presetFacts } from "../testing/preset-facts.ts";
import { resolvePreset } from "./resolve-preset.ts";

const options = { privateHome: "/home/inside", isShown: () => true, keepsCaches: true };
const config = JSON.stringify({ registry: "https://own.example/", "replace-registry-host": "npmjs" });

test("resolvePreset() tells npm and yarn by a variable where their cache is, and pnpm by its own file, since npm warns of other tools' variables", () => {
  const { fragment } = resolvePreset("node", presetFacts({ answers: { config } }), options);
  assert.partialDeepStrictEqual(fragment, {
    environment: {
      set: { npm_config_cache: "/home/inside/.npm", YARN_CACHE_FOLDER: "/home/inside/.cache/yarn" },
      homeFiles: { ".config/pnpm/rc": "store-dir=/home/inside/.pnpm-store\n" },
    },
  });
  assert.doesNotMatch(JSON.stringify(fragment), /store_dir/u);
});

test("resolvePreset() names the cache that the project's tasks share, unless this machine can keep none", () => {
  const cachesOf = (keepsCaches: boolean): unknown =>
    resolvePreset("node", presetFacts({ answers: { config } }), { ...options, keepsCaches }).fragment["filesystem"];
  assert.deepEqual([cachesOf(true), cachesOf(false)], [{ caches: ["npm", "pnpm", "yarn"] }, {}]);
});
