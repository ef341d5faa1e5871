// Lays all sources out in a few files, in the directory that it is told. Set-up starts it as a process of its own: bundle.mjs.
// The first is read by every start; what only some commands need stands in the second, the sentences and the YAML reader in files of their own.
// @ts-check
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { build } from "esbuild";
import { firstText, laterText, leaveForLater, takeFromFirst } from "./bundle-later.mjs";

const root = process.cwd();
const ourselves = ["scripts/setup/bundle-sources.mjs", "scripts/setup/bundle-later.mjs"];
const catalogue = "src/texts/catalogue";
const topicFiles = readdirSync(path.join(root, catalogue))
  .filter((name) => name.endsWith(".json"))
  .map((name) => `${catalogue}/${name}`);

/** The sentences as one text, to be parsed by the first who says one: as objects, each start would make all of them. */
function sentencesAsText() {
  const topics = topicFiles.map((file) => [path.basename(file, ".json"), JSON.parse(readFileSync(path.join(root, file), "utf8"))]);
  return `JSON.parse(${JSON.stringify(JSON.stringify(Object.fromEntries(topics)))})`;
}

/** @param {string} name of a package: its own code runs when somebody first uses what it exports @param {string} from where it is then */
function packageWhenUsed(name, from) {
  const exported = Object.keys(createRequire(path.join(root, "package.json"))(name));
  const getters = exported.map((key) => `get ${JSON.stringify(key)}() { return whole()[${JSON.stringify(key)}]; }`);
  return `const whole = () => require(${JSON.stringify(from)});\nmodule.exports = { ${getters.join(", ")} };`;
}

/**
 * One constant for all who import it: otherwise each of them gets a copy of its own, member by member. For those without members that do something when they are read.
 * @param {string} name
 */
function builtinOnce(name) {
  const members = Object.keys(createRequire(import.meta.url)(name)).map((key) => `export const ${key} = whole.${key};`);
  return `const whole = require(${JSON.stringify(name)});\nexport { whole as default };\n${members.join("\n")}`;
}

/** @type {import("esbuild").Plugin} */
const onceForAll = {
  name: "once-for-all",
  setup(bundling) {
    bundling.onResolve({ filter: /^node:(?:path|os)$/ }, ({ kind, path: name }) =>
      kind === "import-statement" ? { path: name, namespace: "once-for-all" } : undefined,
    );
    bundling.onLoad({ filter: /.*/, namespace: "once-for-all" }, ({ path: name }) => ({ contents: builtinOnce(name), loader: "js" }));
  },
};

/**
 * @param {{ sentences: string, yaml: string }} from what gives the sentences, and where the package is
 * @returns {import("esbuild").Plugin}
 */
const whenAskedFor = (from) => ({
  name: "when-asked-for",
  setup(bundling) {
    bundling.onLoad({ filter: /\/src\/texts\/topics\.ts$/ }, () => ({
      contents: `export const topics = () => ${from.sentences};`,
      loader: "js",
    }));
    // Only policies that people wrote in it need it.
    bundling.onResolve({ filter: /^yaml$/ }, ({ kind, path: name }) =>
      kind === "import-statement" ? { path: name, namespace: "when-asked-for" } : undefined,
    );
    bundling.onResolve({ filter: /^apart:/ }, ({ path: name }) => ({ path: name, external: true }));
    bundling.onLoad({ filter: /.*/, namespace: "when-asked-for" }, ({ path: name }) => ({
      contents: packageWhenUsed(name, from.yaml),
      loader: "js",
      resolveDir: root,
    }));
  },
});

/** @type {import("esbuild").BuildOptions & { metafile: true }} */
const common = {
  bundle: true,
  platform: "node",
  // A script, which V8 can keep compiled: start-bundle.cjs.
  format: "cjs",
  define: { "import.meta.dirname": "__dirname", "import.meta.filename": "__filename" },
  // Only documents that name hosts need tldts, and it is as long as all the rest; only who serves agents needs the others.
  external: ["tldts", "@modelcontextprotocol/server", "@modelcontextprotocol/node"],
  // A script that was compiled by hand has nobody to import for it; it can require.
  supported: { "dynamic-import": false },
  charset: "ascii",
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "external",
  logLevel: "warning",
  metafile: true,
};
/** As a function, which a script is otherwise made into at each start: a copy of all its text. start-bundle.cjs calls it. */
const asFunction = { banner: { js: "(function (exports, require, module, __filename, __dirname) {" }, footer: { js: "});" } };
const isSource = (/** @type {string} */ file) => file.startsWith("src/");
/** Files of their own, because a file is read whole at each start, and most need neither. */
const apart = [whenAskedFor({ sentences: 'require("apart:sentences")', yaml: "apart:yaml" }), onceForAll];
/** For a program that has no file beside it. */
const alone = [whenAskedFor({ sentences: sentencesAsText(), yaml: "yaml" }), onceForAll];

/** @param {string} outdir */
async function bundle(outdir) {
  const begun = new Date();
  const text = (/** @type {string} */ contents) => ({ contents, resolveDir: root });
  const fileIn = (/** @type {string} */ name) => path.join(outdir, name);
  /** @param {string} name @param {Pick<import("esbuild").BuildOptions, "stdin" | "entryPoints" | "plugins">} options */
  const make = (name, options) => build({ ...common, ...asFunction, outfile: fileIn(name), ...options });
  const later = new Set();
  const first = [leaveForLater(root, later), ...apart];
  const planned = await build({ ...common, entryPoints: ["src/start.ts"], outfile: fileIn("main.cjs"), write: false, plugins: first });
  const shared = new Map();
  const inFirst = new Set(Object.keys(planned.metafile.inputs).filter(isSource));
  const takes = [takeFromFirst(root, inFirst, shared), ...apart];
  const rest = await make("later.cjs", { stdin: text(laterText(later)), plugins: takes });
  const main = await make("main.cjs", { stdin: text(firstText(shared)), plugins: first });
  await make("yaml.cjs", { entryPoints: ["yaml"] });
  await make("sentences.cjs", { stdin: text(`module.exports = ${sentencesAsText()};`) });
  const gate = await build({ ...common, entryPoints: ["src/gate.ts"], outfile: fileIn("gate.cjs"), plugins: alone });
  const inputs = [main, rest, gate].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const sources = [...new Set(inputs.filter(isSource))];
  writeSources(fileIn("sources.sh"), [...sources, ...topicFiles, ...ourselves], begun);
}

/**
 * What the files were made from, for start.sh. It is as old as the moment before the first of them was read.
 * @param {string} file @param {readonly string[]} sources @param {Date} begun
 */
function writeSources(file, sources, begun) {
  writeFileSync(file, `sources="\n${sources.join("\n")}\n"\n`);
  utimesSync(file, begun, begun);
}

await bundle(process.argv[2] ?? "bundle");
