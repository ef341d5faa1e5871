// Package managers with everything local: no registry is there, and none is needed.
import type { ToolCase } from "./tool-case.ts";

const quietInstall = "npm install --offline --no-audit --no-fund --no-update-notifier --loglevel=error";

/** A tar of the two files that a package needs at least, for many packages without a thousand processes. */
const makeTree = `cat > make.mjs <<'END'
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
const write = (directory, name, more) => {
  mkdirSync(directory, { recursive: true });
  writeFileSync(directory + "/package.json", JSON.stringify({ name, version: "1.0.0", main: "main.js", ...more }));
  writeFileSync(directory + "/main.js", "module.exports = 1;\\n");
};
for (let n = 0; n < 950; n++) write("packages/w" + n, "w" + n, n === 0 ? {} : { dependencies: { ["w" + (n - 1)]: "1.0.0" } });
const dependencies = {};
for (let n = 0; n < 50; n++) {
  write("package", "t" + n, {});
  execFileSync("tar", ["-czf", "t" + n + ".tgz", "package"]);
  dependencies["t" + n] = "file:t" + n + ".tgz";
}
writeFileSync("package.json", JSON.stringify({ name: "tree", version: "1.0.0", workspaces: ["packages/*"], dependencies }));
END
node make.mjs`;

export const packages: readonly ToolCase[] = [
  {
    name: "npm: install from a local tarball, run a script",
    strictToo: true,
    needs: ["node", "npm", "tar"],
    script: `mkdir -p dep/package app && cd dep
echo '{"name":"dep","version":"1.0.0","main":"main.js","bin":{"dep":"cli.js"}}' > package/package.json
echo 'module.exports = "from the tarball"' > package/main.js
printf '#!/usr/bin/env node\\nconsole.log("bin:", require("./main.js"))\\n' > package/cli.js && chmod +x package/cli.js
tar -czf ../dep.tgz package && cd ../app
echo '{"name":"app","version":"1.0.0","scripts":{"go":"dep && node go.js"}}' > package.json && echo 'console.log("go:", require("dep"))' > go.js
${quietInstall} ../dep.tgz >/dev/null && npm run --silent go && ls node_modules`,
  },
  {
    name: "npm: a tarball with scripts of its own, pack, link, exec, uninstall",
    slow: true,
    needs: ["node", "npm"],
    script: `mkdir dep app && cd dep && echo 'console.log("built by", process.env.npm_lifecycle_event)' > main.js
echo '{"name":"dep","version":"1.2.3","bin":{"dep":"main.js"},"scripts":{"preinstall":"echo pre > pre.txt","install":"node -e \\"fs.writeFileSync(String.fromCharCode(105), process.env.npm_package_version)\\"","postinstall":"cat pre.txt i > post.txt"}}' > package.json
npm pack --silent && cd ../app && echo '{"name":"app","version":"1.0.0","private":true}' > package.json && ${quietInstall} ../dep/dep-1.2.3.tgz > /dev/null
cat node_modules/dep/post.txt && node -p 'Object.keys(require("./package-lock.json").packages).join()' && npm ls --all | tail -2 | head -1 && npm exec --offline -c 'node node_modules/dep/main.js'
npm uninstall --offline --silent dep && ls -A && ${quietInstall} --install-links=false ../dep >/dev/null && readlink node_modules/dep`,
  },
  {
    name: "npm: a tree of 1,000 local packages",
    slow: true,
    needs: ["node", "npm", "tar"],
    script: `${makeTree} && ${quietInstall} >/dev/null && ls node_modules | wc -l && readlink node_modules/w949 && node -p 'require("t49") + require("w949")' && ls node_modules/t7`,
    prints: "1000\n../packages/w949\n2\nmain.js\npackage.json\n",
  },
  {
    name: "pip: a local wheel into a virtual environment, its program run, uninstalled",
    slow: true,
    needs: ["python3"],
    script: `mkdir -p src && cat > make.py <<'END'
import zipfile
name, info = "greet-1.0-py3-none-any.whl", "greet-1.0.dist-info/"
files = {"greet.py": "def main(): print('greetings from the wheel')\\n",
  info + "METADATA": "Metadata-Version: 2.1\\nName: greet\\nVersion: 1.0\\n",
  info + "WHEEL": "Wheel-Version: 1.0\\nGenerator: hand\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
  info + "entry_points.txt": "[console_scripts]\\ngreet = greet:main\\n"}
record = "".join(f"{file},,\\n" for file in [*files, info + "RECORD"])
with zipfile.ZipFile(name, "w") as wheel:
    for file, text in {**files, info + "RECORD": record}.items(): wheel.writestr(file, text)
END
python3 make.py && python3 -m venv env && env/bin/pip install -q --no-index --disable-pip-version-check ./greet-1.0-py3-none-any.whl && env/bin/greet
env/bin/pip list --disable-pip-version-check --format=freeze | grep greet && env/bin/python -c 'import greet, os; print(os.path.relpath(greet.__file__).split("/")[0])'
env/bin/pip uninstall -qy greet && ls env/bin/greet 2>/dev/null || echo gone`,
    prints: "greetings from the wheel\ngreet==1.0\nenv\ngone\n",
  },
];
