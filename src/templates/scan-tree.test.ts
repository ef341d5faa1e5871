// What a template may not hold and what it may, as a table; then whole trees: places, bounds, what cannot be looked through.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { removeTree } from "../kit/remove-tree.ts";
import { refuseSecrets, type ScanBounds, scanForSecrets } from "./templates.ts";

/** Different letters, and never one text in this file that looks like a secret. */
const letters = (count: number, alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"): string =>
  Array.from({ length: count }, (_, index) => alphabet[(index * 7 + 3) % alphabet.length]).join("");
const small = (count: number): string => letters(count, "abcdefghijklmnopqrstuvwxyz0123456789");
const header = (name: string): string => `-----BEGIN ${name}${["PRIVATE", "KEY"].join(" ")}-----`;
const body = letters(64);

interface Row {
  readonly what: string;
  readonly file?: string;
  readonly text: string;
  /** Lines at which something is found, with its kind; none: it is clean. */
  readonly found?: readonly string[];
}

const rows: readonly Row[] = [
  ...["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "].map((name): Row => ({
    what: `a key of kind "${name}"`,
    text: `x\n${header(name)}\n${body}\n`,
    found: ["2 private-key"],
  })),
  {
    what: "a key with headers",
    text: `${header("RSA ")}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n${body}\n`,
    found: ["1 private-key"],
  },
  {
    what: "a key in JSON",
    file: "account.json",
    text: `{"a": 1,\n "private_key": "${header("")}\\n${body}\\n"}`,
    found: ["2 private-key"],
  },
  { what: "a key with CRLF", text: `${header("")}\r\n${body}\r\n`, found: ["1 private-key"] },
  { what: "a key of age", text: `${["AGE", "SECRET", "KEY", "1"].join("-")}${letters(58)}\n`, found: ["1 private-key"] },
  {
    what: "keys that a library tests itself with",
    file: "usr/lib/x86_64-linux-gnu/libgnutls.so.30.34.3",
    text: `${header("RSA ")}\n${body}\n`,
  },
  {
    what: "a token in such a library",
    file: "usr/lib/x86_64-linux-gnu/libgnutls.so.30",
    text: `${header("")}\n${body}\nglpat-${small(20)}\n`,
    found: ["3 token"],
  },
  {
    what: "a key in a file that is only named so",
    file: "home/libgnutls.so.30",
    text: `${header("")}\n${body}\n`,
    found: ["1 private-key"],
  },
  { what: "the header alone, as programs hold it", text: `${header("RSA ")}\0${header("")}\n\n` },
  {
    what: "a public key and a certificate",
    text: `-----BEGIN PUBLIC KEY-----\n${body}\n-----BEGIN CERTIFICATE-----\n${body}\nssh-ed25519 ${body}\n`,
  },

  { what: "an AWS key id", text: `id = AKIA${letters(16)}\n`, found: ["1 cloud-key"] },
  { what: "an AWS session's key id", text: `ASIA${letters(16)}`, found: ["1 cloud-key"] },
  { what: "the key id of documentation", text: `AKIA${letters(9)}EXAMPLE\n` },
  { what: "a key id inside a longer word", text: `XAKIA${letters(16)} AKIA${letters(17)} AKIA${small(16)}` },
  { what: "an AWS secret", text: `aws_secret_access_key = ${letters(40)}\n`, found: ["1 cloud-key"] },
  { what: "an AWS secret in code", text: `const awsSecretKey = "${letters(40)}";\n`, found: ["1 cloud-key"] },
  { what: "forty letters without a name", text: `sha1 = ${small(40)}\nsecret = ${letters(20)}` },
  { what: "a Google key", text: `key=AIza${small(35)}`, found: ["1 cloud-key"] },
  { what: "an Azure storage key", text: `AccountName=a;AccountKey=${letters(86)}==;`, found: ["1 cloud-key"] },
  { what: "a DigitalOcean key", text: `dop_v1_${letters(64, "0123456789abcdef")}`, found: ["1 cloud-key"] },

  ...["ghp", "gho", "ghu", "ghs", "ghr"].map((prefix): Row => ({
    what: `a GitHub token ${prefix}`,
    text: `a\nb ${prefix}_${small(40)}\n`,
    found: ["2 token"],
  })),
  { what: "a GitHub token of the fine-grained kind", text: `github_pat_${small(60)}`, found: ["1 token"] },
  { what: "a GitLab token", text: `glpat-${small(20)}`, found: ["1 token"] },
  { what: "an npm token", text: `npm_${small(36)}`, found: ["1 token"] },
  {
    what: "a name that begins like an npm token",
    text: `npm_config_registry npm_lifecycle_event_of_something_that_is_long npm_${"x".repeat(36)}`,
  },
  { what: "a PyPI token", text: `pypi-AgE${small(60)}`, found: ["1 token"] },
  { what: "a Slack token", text: `xoxb-${letters(30, "0123456789-abcdef")}`, found: ["1 token"] },
  { what: "a Stripe key", text: `sk_live_${small(24)}`, found: ["1 token"] },
  { what: "a Stripe key for tests", text: `sk_test_${small(24)}` },
  { what: "a Hugging Face token", text: `hf_${letters(34, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ")}`, found: ["1 token"] },
  { what: "a model's API key", text: `sk-ant-api03-${small(60)}`, found: ["1 token"] },
  { what: "a placeholder", text: `ghp_${"x".repeat(36)} glpat-${"A".repeat(20)} sk-ant-your-key-goes-here-as-it-is-written-there` },

  { what: "a .env", file: "app/.env", text: "# settings\n\nexport PORT=80\nEMPTY=\n", found: ["3 password"] },
  { what: "a .env of one stage", file: ".env.production", text: "A=b\r\n", found: ["1 password"] },
  { what: "a .env that only names variables", file: ".env", text: 'A=\nB=${HOME}\nC=""\n# D=x\n' },
  ...["example", "sample", "template", "dist"].map((kind): Row => ({
    what: `a .env.${kind}`,
    file: `.env.${kind}`,
    text: "PASSWORD=write-yours\n",
  })),
  { what: "a token in the example all the same", file: ".env.example", text: `A=1\nTOKEN=ghp_${small(36)}\n`, found: ["2 token"] },
  { what: "a file that only ends like .env", file: "my.env.ts", text: "A=b\n" },
  {
    what: "an .npmrc with a token",
    file: "root/.npmrc",
    text: "registry=https://r.example/\n//r.example/:_authToken=abc\n",
    found: ["2 token"],
  },
  { what: "an .npmrc with a variable", file: ".npmrc", text: "//r.example/:_authToken=${NPM_TOKEN}\nalways-auth=true\n" },
  {
    what: "a .netrc",
    file: "root/.netrc",
    text: "machine a login b password c\nmachine d\n  login e\n  password f\n",
    found: ["1 password", "4 password"],
  },
  { what: "a .netrc without a password", file: ".netrc", text: "machine a login b\n" },
  {
    what: "a docker config with a login",
    file: "root/.docker/config.json",
    text: '{"auths": {"r.example": {\n"auth": "dTpw"}}}',
    found: ["2 token"],
  },
  { what: "a docker config with a helper", file: "root/.docker/config.json", text: '{"credsStore": "pass", "auths": {"r.example": {}}}' },
  { what: "a config.json of something else", file: "app/config.json", text: '{"auth": "basic", "password": "field"}' },
  { what: "stored credentials of git", file: ".git-credentials", text: "https://u:p@h.example\n", found: ["1 password"] },
  { what: "a .pypirc", file: ".pypirc", text: "[pypi]\nusername = u\npassword = p\n", found: ["3 password"] },
  { what: "credentials of AWS", file: "root/.aws/credentials", text: "[default]\naws_secret_access_key = short\n", found: ["2 cloud-key"] },
  { what: "a kubeconfig", file: "root/.kube/config", text: "users:\n- user:\n    token: abc\n", found: ["3 token"] },
  { what: "a password of PostgreSQL", file: ".pgpass", text: "h:5432:*:u:p\n", found: ["1 password"] },
  {
    what: "an account with a password",
    file: "etc/shadow",
    text: "root:*:1::::::\nada:$y$j9T$abcdefgh$xyz:1::::::\n",
    found: ["2 password"],
  },
  { what: "accounts without one", file: "etc/shadow", text: "root:*:1::::::\ndaemon:!:1::::::\n" },
];

async function inTree(use: (root: string) => Promise<void>): Promise<void> {
  const root = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-scan-")));
  try {
    await use(root);
  } finally {
    await removeTree(root, { parent: path.dirname(root) });
  }
}

async function put(root: string, file: string, text: string | Uint8Array): Promise<void> {
  await mkdir(path.join(root, path.dirname(file)), { recursive: true });
  await writeFile(path.join(root, file), text);
}

const secret = `glpat-${small(20)}`;

test("scanForSecrets() finds each secret of the table with its line, and nothing in what is none", async () => {
  await inTree(async (root) => {
    for (const { what, file = "file.txt", text, found = [] } of rows) {
      await put(root, file, text);
      const scan = await scanForSecrets(root);
      assert.deepEqual(
        scan.found.map(({ line, kind }) => `${line} ${kind}`),
        found,
        what,
      );
      assert.ok(scan.found.every((each) => each.file === file));
      await rm(path.join(root, file));
    }
  });
});

test("scanForSecrets() finds a secret in bytes of any kind, far into a file, and across where it reads on", async () => {
  await inTree(async (root) => {
    const four = 4 * 1024 * 1024;
    for (const offset of [0, four - 65_536, four - 10, four, 2 * four - 65_536 - 5, 9_000_000]) {
      const bytes = Buffer.alloc(10_000_000, 0xff);
      bytes.fill("\n", 0, Math.min(offset, 1000));
      bytes.write(` ${secret} `, offset, "latin1");
      await put(root, "blob", bytes);
      assert.deepEqual(
        (await scanForSecrets(root)).found,
        [{ file: "blob", line: 1 + Math.min(offset, 1000), kind: "token" }],
        String(offset),
      );
    }
  });
});

test("scanForSecrets() follows no link and goes into every directory in order", async () => {
  await inTree(async (root) => {
    await put(root, "b/deep/er/two", secret);
    await put(root, "a/one", secret);
    await put(root, "none", "x");
    await symlink("/etc", path.join(root, "c"));
    await symlink("a/one", path.join(root, "d"));
    const { found, files, bytes } = await scanForSecrets(root);
    assert.deepEqual(
      found.map(({ file }) => file),
      ["a/one", "b/deep/er/two"],
    );
    assert.deepEqual([files, bytes], [3, secret.length * 2 + 1]);
  });
});

test("refuseSecrets() names file and line of the first, how many there are, and never the secret", async () => {
  await inTree(async (root) => {
    await put(root, "clean", "x\n");
    await refuseSecrets(root);
    await put(root, "etc/one\nline", `\n${secret}\n`);
    await put(root, "etc/two", secret);
    const refused: unknown = await refuseSecrets(root).catch((error: unknown) => error);
    assert.ok(refused instanceof GloveboxError);
    assert.equal(refused.code, "TEMPLATE_HOLDS_SECRET");
    assert.deepEqual(refused.values, { file: "etc/one\nline", line: 2, kind: "token", count: 2 });
    assert.ok(!JSON.stringify([refused.message, refused.values, refused.stack]).includes(secret));
  });
});

test("scanForSecrets() refuses a tree that it cannot look through to its end", async () => {
  const bounds: ScanBounds = { files: 2, bytes: 10, found: 3 };
  const refusedBy = async (root: string, situation: string, by: ScanBounds | undefined): Promise<void> => {
    await assert.rejects(
      scanForSecrets(root, by),
      (error) => error instanceof GloveboxError && error.code === "TEMPLATE_UNREADABLE" && error.situation === situation,
      situation,
    );
  };
  await inTree(async (root) => {
    await put(root, "big", "x".repeat(11));
    await refusedBy(root, "template.too-large", bounds);
    for (const name of ["big", "one", "two"]) await put(root, name, "");
    await refusedBy(root, "template.too-many-files", bounds);
  });
  await refusedBy("/nonexistent/tree", "template.unreadable", undefined);
});

test("scanForSecrets() lists no more than it is told, and bounds what hostile text costs", async () => {
  await inTree(async (root) => {
    await put(root, "many", `${secret}\n`.repeat(1000));
    assert.equal((await scanForSecrets(root)).found.length, 100);
    const anchors = ["PRIVATE KEY", "AKIA", "aws secret aws secret", "AccountKey=", "ghp_", "npm_", "xoxb-", "sk-ant-"];
    for (const anchor of [...anchors, header("A B "), `${header("")}\n${"X: y\n".repeat(20)}`])
      await put(root, "many", anchor.repeat(20_000));
    await put(root, ".env", `A=${"$".repeat(100_000)}\n${"B".repeat(100_000)}\n`);
    await scanForSecrets(root);
  });
});
