// Compilers and build tools: what they make must run.
import path from "node:path";
import type { ToolCase } from "./tool-case.ts";

/** Our own packages: a compiler, a linter and the types that a small project wants. */
const modules = path.join(import.meta.dirname, "../../../node_modules");

/** Twelve modules, each with a test that is a process of its own. */
const smallProject = `cat > make.mjs <<'END'
import { mkdirSync, writeFileSync } from "node:fs";
for (const name of ["src", "test"]) mkdirSync(name);
for (let n = 0; n < 12; n++) {
  writeFileSync("src/part" + n + ".ts", "export function add" + n + "(a: number, b: number): number {\\n  return a + b + " + n + ";\\n}\\n");
  writeFileSync("test/part" + n + ".test.ts", 'import assert from "node:assert/strict";\\nimport { test } from "node:test";\\nimport { add' + n +
    ' } from "../src/part' + n + '.ts";\\n\\ntest("adds", () => assert.equal(add' + n + '(1, 2), 3 + ' + n + '));\\ntest("waits", async () => assert.ok(await Promise.resolve(true)));\\n');
}
const scripts = { check: "tsc -p . && oxlint --quiet src test > lint.txt", test: "npm run --silent check && node --test --test-reporter=tap 'test/*.test.ts'" };
writeFileSync("package.json", JSON.stringify({ name: "small", version: "1.0.0", type: "module", scripts }));
writeFileSync("tsconfig.json", JSON.stringify({ compilerOptions: { strict: true, noEmit: true, module: "nodenext", allowImportingTsExtensions: true,
  incremental: true, tsBuildInfoFile: "out/info", types: ["node"], typeRoots: [process.argv[2] + "/@types"] }, include: ["src", "test"] }));
END
node make.mjs "${modules}"`;

export const builds: readonly ToolCase[] = [
  {
    name: "a small project's own npm test: types, lint, tests in twelve processes",
    slow: true,
    needs: ["node", "npm"],
    alsoRead: [modules],
    prints: "0\n# tests 24\n# pass 24\n# fail 0\nFound 0 warnings and 0 errors\ninfo\nsrc/part7.ts(2,3): error TS2322\n",
    script: `${smallProject} && export PATH="${modules}/.bin:$PATH" npm_config_update_notifier=false && npm test > all.txt 2>&1; echo $?
grep -E '^# (tests|pass|fail) ' all.txt; grep -o 'Found .* errors' lint.txt; ls out; sed -i 's/: number {/: string {/' src/part7.ts && npm run --silent check 2>&1 | grep -o 'src/part7.*TS2322'`,
  },
  {
    name: "gcc and make: a library, a program, two jobs at once",
    strictToo: true,
    needs: ["gcc", "make", "ar"],
    script: `printf 'int twice(int x) { return 2 * x; }\\n' > lib.c
printf '#include <math.h>\\n#include <stdio.h>\\nint twice(int);\\nint main(void) { printf("%%d %%.3f\\\\n", twice(21), sqrt(2.0)); }\\n' > main.c
printf 'main: main.o lib.a\\n\\tgcc -o $@ main.o lib.a -lm\\nlib.a: lib.o\\n\\tar rcs $@ $<\\n%%.o: %%.c\\n\\tgcc -c -o $@ $<\\n' > Makefile
make -s -j2 && ./main && make -q && echo up-to-date`,
  },
  {
    name: "gcc: precompiled headers, link-time optimisation, a shared library found by its path, dependencies for make, pipes instead of files",
    needs: ["gcc", "make"],
    script: `printf 'static inline int three(void) { return 3; }\\n' > h.h && gcc -o h.h.gch h.h && printf '#include "h.h"\\nint nine(void) { return three() * 3; }\\n' > lib.c
gcc -pipe -O2 -flto -fPIC -shared -o libnine.so lib.c && printf '#include <stdio.h>\\nint nine(void);\\nint main(void) { printf("%%d\\\\n", nine()); }\\n' > main.c
gcc -MMD -g -o main main.c -L. -lnine -Wl,-rpath,"$PWD" && ./main && cat main.d && echo 'int main(void){return 7;}' | gcc -xc - -o seven && ./seven; echo $?`,
  },
  {
    name: "go: a module, its tests, a vetted build",
    slow: true,
    needs: ["go"],
    script: `export GOFLAGS=-mod=mod GOTOOLCHAIN=local && mkdir -p lib && printf 'module example.org/demo\\n\\ngo 1.19\\n' > go.mod && printf 'package lib\\n\\nfunc Twice(x int) int { return 2 * x }\\n' > lib/lib.go
printf 'package lib\\n\\nimport "testing"\\n\\nfunc TestTwice(t *testing.T) {\\n\\tif Twice(21) != 42 {\\n\\t\\tt.Fatal()\\n\\t}\\n}\\n' > lib/lib_test.go
printf 'package main\\n\\nimport (\\n\\t"fmt"\\n\\t"example.org/demo/lib"\\n)\\n\\nfunc main() { fmt.Println(lib.Twice(21)) }\\n' > main.go
go build -o demo . && ./demo && go run . && go vet ./... && go test ./lib | cut -f1,2 && gofmt -l .`,
    prints: "42\n42\nok  \texample.org/demo/lib\nmain.go\n",
  },
  {
    name: "cargo: a library, a program, a build script, tests",
    slow: true,
    needs: ["cargo", "rustc"],
    script: `export CARGO_NET_OFFLINE=true && cargo init -q --vcs none --name demo . && printf 'pub fn twice(x: i32) -> i32 { 2 * x }\\n#[test]\\nfn works() { assert_eq!(twice(21), 42); }\\n' > src/lib.rs
printf 'fn main() { println!("{} {}", demo::twice(21), env!("BUILT")); }\\n' > src/main.rs && printf 'fn main() { println!("cargo:rustc-env=BUILT=by-script"); }\\n' > build.rs
cargo build -q 2>&1 && ./target/debug/demo && cargo run -q --release 2>&1 && cargo test 2>&1 | grep -c 'test works ... ok'`,
    prints: "42 by-script\n42 by-script\n1\n",
  },
];
