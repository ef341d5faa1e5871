// Starts the bundle with what V8 made of it in an earlier run: most of a start is compiling functions. Node's own compile cache keeps a module as
// it was before any function of it ran. The cache is a copy and never more than that: without it, or with one that V8 refuses, the start is slower.
// @ts-check
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const directory = path.join(__dirname, "..", "..", "bundle");
const filename = path.join(directory, "main.cjs");

/** V8 compares no more than lengths: a cache bears the name of the very file that it was made from, as that was opened. */
function readBundle() {
  const descriptor = fs.openSync(filename, "r");
  try {
    const { ino, mtimeNs } = fs.fstatSync(descriptor, { bigint: true });
    // It holds nothing but ASCII, which needs no decoding.
    return { source: fs.readFileSync(descriptor, "latin1"), cacheFile: path.join(directory, `main.${ino}.${mtimeNs}.cache`) };
  } finally {
    fs.closeSync(descriptor);
  }
}

/** @param {string} file */
function readCache(file) {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined; // none yet: this start makes it, where it may
  }
}

/** @param {string} file @param {Buffer} bytes */
function writeCache(file, bytes) {
  const fresh = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(fresh, bytes, { flag: "wx", flush: true });
    fs.renameSync(fresh, file); // whole or not at all, also after a power failure
  } catch {
    fs.rmSync(fresh, { force: true }); // somebody else's installation, or a full disk: the next start compiles again
  }
}

const { source, cacheFile } = readBundle();
const cachedData = readCache(cacheFile);
const script = new vm.Script(source, { filename, ...(cachedData === undefined ? {} : { cachedData }) });

// What a run used is what most starts will use.
if (
  (cachedData === undefined || script.cachedDataRejected === true) &&
  process.argv.slice(2).find((word) => !word.startsWith("-")) === "run"
) {
  const v8 = require("node:v8");
  // V8 drops the code of functions that were not called for a while: a longer run would leave a cache without what every start needs.
  v8.setFlagsFromString("--no-flush-bytecode");
  process.once("exit", (code) => {
    // A cache bears the flags that it was made under.
    v8.setFlagsFromString("--flush-bytecode");
    if (code === 0) writeCache(cacheFile, script.createCachedData());
  });
}
const bundled = { exports: {} };

/**
 * @param {import("node:vm").Script} compiled
 * @param {{ exports: object }} module
 */
function evaluate(compiled, module) {
  /** @type {unknown} */
  const wrapped = compiled.runInThisContext();
  if (typeof wrapped === "function") Reflect.apply(wrapped, undefined, [module.exports, requireOnce, module, filename, directory]);
}

// What is needed later is opened with the first file: by then another set-up may have put other files in their place.
const others = new Map(
  ["later", "yaml", "sentences"].map((name) => {
    const file = path.join(directory, `${name}.cjs`);
    return [name, { file, descriptor: fs.openSync(file, "r") }];
  }),
);

/** @param {string} name @returns {object} what the file of that name exports */
function whole(name) {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const other = others.get(name);
  if (other === undefined) throw new Error(`Cannot load "${name}": the bundle has no such file`);
  const module = { exports: {} };
  evaluate(new vm.Script(fs.readFileSync(other.descriptor, "latin1"), { filename: other.file }), module);
  loaded.set(name, module.exports);
  return module.exports;
}
/** @type {Map<string, object>} */
const loaded = new Map();

/** @param {object} file that hands out what lies in it @param {string} name @param {string} source @returns {unknown} */
function handOut(file, name, source) {
  /** @type {unknown} */
  const hand = Reflect.get(file, name);
  return typeof hand === "function" ? Reflect.apply(hand, undefined, [source]) : undefined;
}

/** @param {string} name @returns {unknown} */
function load(name) {
  if (name.startsWith("first:")) return handOut(bundled.exports, "first", name.slice("first:".length));
  if (name.startsWith("apart:")) return whole(name.slice("apart:".length));
  return name.startsWith("later:") ? handOut(whole("later"), "later", name.slice("later:".length)) : require(name);
}

// Every one of hundreds of modules asks for the same few built-in ones, and each time Node resolves the name again.
/** @type {Map<string, unknown>} */
const known = new Map();

/** @param {string} name */
function requireOnce(name) {
  if (!known.has(name)) known.set(name, load(name));
  return known.get(name);
}

evaluate(script, bundled);
