// Files that are made to hold secrets, by their names, and what of their lines is one: passwords and tokens without a shape of their own.
import { isPlaceholder, type SecretAt, type SecretKind } from "./secret-shapes.ts";

interface SecretFile {
  /** Of the path from the top, `/` before it. */
  readonly name: RegExp;
  readonly kind: SecretKind;
  /** One line; names the secret itself `secret`. */
  readonly line: RegExp;
}

const secretFiles: readonly SecretFile[] = [
  // Any value: nobody knows which of them are harmless. What is written as an example is named so.
  {
    name: /\/\.env(?:\.(?!example$|sample$|template$|dist$|defaults$)[\w.-]{1,64})?$/u,
    kind: "password",
    line: /^\s{0,8}(?:export\s{1,8})?\w{1,128}\s{0,8}=\s{0,8}(?<secret>[^\s#].{0,4096})$/u,
  },
  { name: /\/\.?npmrc$/u, kind: "token", line: /(?:_authToken|_auth|_password)\s{0,8}=\s{0,8}(?<secret>\S{1,4096})/u },
  { name: /\/\.yarnrc\.yml$/u, kind: "token", line: /npmAuth(?:Token|Ident)\s{0,8}:\s{0,8}(?<secret>\S{1,4096})/u },
  { name: /\/[._]netrc$/u, kind: "password", line: /\bpassword\s{1,8}(?<secret>\S{1,4096})/u },
  {
    name: /\/(?:\.docker\/config\.json|\.dockercfg|\.dockerconfigjson|containers\/auth\.json)$/u,
    kind: "token",
    line: /"(?:auth|identitytoken|registrytoken|password)"\s{0,8}:\s{0,8}"(?<secret>[^"]{1,4096})"/u,
  },
  { name: /\/\.git-credentials$/u, kind: "password", line: /:\/\/[^\s:@/]{0,256}:(?<secret>[^\s@/]{1,4096})@/u },
  {
    name: /\/(?:\.pypirc|pip\.conf)$/u,
    kind: "password",
    line: /(?:^\s{0,8}password\s{0,8}[=:]\s{0,8}|:\/\/[^\s:@/]{0,256}:)(?<secret>[^\s@]{1,4096})/u,
  },
  {
    name: /\/\.aws\/credentials$/u,
    kind: "cloud-key",
    line: /^\s{0,8}aws_(?:secret_access_key|session_token)\s{0,8}=\s{0,8}(?<secret>\S{1,4096})/u,
  },
  {
    name: /\/\.kube\/config$/u,
    kind: "token",
    line: /^\s{0,64}-?\s{0,8}(?:token|password|client-key-data)\s{0,8}:\s{0,8}(?<secret>\S{1,65536})/u,
  },
  { name: /\/\.pgpass$/u, kind: "password", line: /^[^#\s][^:]{0,256}(?::[^:]{0,256}){3}:(?<secret>\S{1,4096})$/u },
  { name: /\/\.my\.cnf$/u, kind: "password", line: /^\s{0,8}password\s{0,8}=\s{0,8}(?<secret>\S{1,4096})/u },
  { name: /\/\.cargo\/credentials(?:\.toml)?$/u, kind: "token", line: /^\s{0,8}token\s{0,8}=\s{0,8}(?<secret>\S{1,4096})/u },
  { name: /\/\.config\/gh\/hosts\.yml$/u, kind: "token", line: /^\s{0,64}oauth_token\s{0,8}:\s{0,8}(?<secret>\S{1,4096})/u },
  { name: /^\/etc\/shadow-?$/u, kind: "password", line: /^[^:]{1,64}:(?<secret>\$[^:]{8,512}):/u },
];

/** @param file from the top, without a leading slash */
export function* linesIn(file: string, text: string): Generator<SecretAt> {
  const rules = secretFiles.filter(({ name }) => name.test(`/${file}`));
  if (rules.length === 0) return;
  let offset = 0;
  for (const line of text.split("\n")) {
    for (const { kind, line: pattern } of rules) {
      const secret = pattern.exec(line.endsWith("\r") ? line.slice(0, -1) : line)?.groups?.["secret"];
      // A short password has few different letters: only what stands for a value is none.
      if (secret !== undefined && !isVariable(secret)) yield { kind, offset };
    }
    offset += line.length + 1;
  }
}

const isVariable = (secret: string): boolean => (secret.includes("$") ? isPlaceholder(secret) : /^["']{2}$|^<.{0,64}>$/u.test(secret));
