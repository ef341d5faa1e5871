// Which sources are loaded later, by those few commands that need them, and how they reach what has been loaded by then: a module is evaluated
// once in a process, in whichever file it lies. What is imported with `import()` lies in the second file, with all that only it needs.
// @ts-check
import path from "node:path";
import { build } from "esbuild";

/** Of a helper that stands alone, its import is all there is: it stays where it is asked for. */
const standsAlone = /\/kit\//;

/** @param {string} root @param {{ resolveDir: string, path: string }} asked */
const sourceOf = (root, { resolveDir, path: name }) => path.relative(root, path.resolve(resolveDir, name));

/**
 * Leaves out what is imported with `import()`, and notes it.
 * @param {string} root @param {Set<string>} later
 * @returns {import("esbuild").Plugin}
 */
export function leaveForLater(root, later) {
  return {
    name: "leave-for-later",
    setup(bundling) {
      bundling.onResolve({ filter: /^\.\.?\// }, (asked) => {
        if (asked.kind !== "dynamic-import" || standsAlone.test(asked.path)) return undefined;
        later.add(sourceOf(root, asked));
        return { path: `later:${sourceOf(root, asked)}`, external: true };
      });
    },
  };
}

/** @param {string} root @param {string} file @returns {Promise<readonly string[]>} the names that it exports */
async function exportsOf(root, file) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [file],
    format: "esm",
    outdir: "unused",
    write: false,
    metafile: true,
    logLevel: "warning",
  });
  return Object.values(metafile.outputs).flatMap((output) => output.exports);
}

/**
 * Takes from the first file what lies there, and notes what that is.
 * @param {string} root @param {ReadonlySet<string>} first @param {Map<string, readonly string[]>} shared file -> the names that it exports
 * @returns {import("esbuild").Plugin}
 */
export function takeFromFirst(root, first, shared) {
  return {
    name: "take-from-first",
    setup(bundling) {
      bundling.onResolve({ filter: /^\.\.?\// }, (asked) => {
        const file = sourceOf(root, asked);
        return first.has(file) ? { path: file, namespace: "first" } : undefined;
      });
      bundling.onLoad({ filter: /.*/, namespace: "first" }, async ({ path: file }) => {
        const names = shared.get(file) ?? (await exportsOf(root, file));
        shared.set(file, names);
        const members = names.map((name) => `export const ${name} = whole.${name};`);
        return { contents: [`const whole = require("first:${file}");`, ...members].join("\n"), loader: "js" };
      });
      bundling.onResolve({ filter: /^first:/ }, ({ path: name }) => ({ path: name, external: true }));
    },
  };
}

/**
 * The first file: the start, and a function that hands out what lies beside it.
 * @param {ReadonlyMap<string, readonly string[]>} shared
 */
export function firstText(shared) {
  const files = [...shared].map(([file, names], index) => ({
    take: `import { ${names.map((name) => `${name} as ${name}_${index}`).join(", ")} } from "./${file}";`,
    hand: `case ${JSON.stringify(file)}: return { ${names.map((name) => `${name}: ${name}_${index}`).join(", ")} };`,
  }));
  const hand = `export function first(file) { switch (file) {\n${files.map(({ hand: line }) => line).join("\n")}\n} }`;
  return ['import "./src/start.ts";', ...files.map(({ take }) => take), hand].join("\n");
}

/**
 * The second file: a function that evaluates what it is asked for.
 * @param {ReadonlySet<string>} later
 */
export function laterText(later) {
  const cases = [...later].map((file) => `case ${JSON.stringify(file)}: return require("./${file}");`);
  return `export function later(file) { switch (file) {\n${cases.join("\n")}\n} }`;
}
