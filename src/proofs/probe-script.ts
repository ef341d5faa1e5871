// Writes the program that runs inside: one line of answer per probe, then a pause in which the host looks at the program itself.
// It is bash, because bash can connect without any other program; it lies in the throw-away project.

export interface ProbeStep {
  readonly id: string;
  /** A function of the script and its words. */
  readonly words: readonly [string, ...string[]];
}

/** The argument with which the program is its own child that has left the session. */
export const daemonWord = "daemon";

/** What the program prints when it waits for the host. */
export const pauseLine = "@pause";

const functions = String.raw`
export LC_ALL=C
if [ "$1" = daemon ]; then echo up; exec >/dev/null; sleep 600; exit 0; fi
try() {
  id=$1; shift
  said=$( { "$@"; } 2>&1 ); code=$?
  said=${"$"}{said//$'\n'/ }
  printf '@%s %s %s\n' "$id" "$code" "${"$"}{said:0:400}"
}
see() { while IFS= read -r line || [ -n "$line" ]; do printf '%s\n' "$line"; done < "$1"; }
make() { echo probe > "$1"; }
plant() { mkdir -p "${"$"}{1%/*}" && echo probe > "$1"; }
change() { echo changed >> "$1"; }
dial() { exec 3<>"/dev/$1/$2/$3" && echo "$4" >&3; }
present() { for place in "$@"; do [ -e "$place" ] && printf '%s ' "$place"; done; return 0; }
names() { shopt -s dotglob nullglob; cd "$1" || return 1; for name in *; do printf '%s/' "$name"; done; }
# access(2) asks permissions and mounts, not Landlock: what it allows and the kernel still refuses, Landlock refuses.
permitted() {
  for place in "$@"; do
    [ -w "$place" ] || continue
    if mkdir "$place/glovebox-proof" 2>/dev/null; then rmdir "$place/glovebox-proof"; echo made; else echo refused; fi
    return 0
  done
  echo none
}
`;

/** One word for bash, whatever it holds. */
export function shellWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** @param file where the script will lie */
export function probeScript(steps: readonly ProbeStep[], file: string): string {
  const tries = steps.map(({ id, words }) => ["try", id, ...words.map(shellWord)].join(" "));
  // The child says when it has become itself: the host must not look before.
  const child = `$leave /bin/bash ${shellWord(file)} ${daemonWord} </dev/null 2>/dev/null &`;
  const leave = `leave=; command -v setsid >/dev/null && leave=setsid; read -r up < <( ${child} )`;
  return [functions, ...tries, leave, `echo ${pauseLine}`, "IFS= read -r answer", "exit 0", ""].join("\n");
}

export interface Answer {
  readonly code: number;
  readonly said: string;
}

/** Answers by probe; lines that are none are left out. What was printed came from inside: it is read, never trusted. */
export function parseAnswers(output: string): ReadonlyMap<string, Answer> {
  const found = new Map<string, Answer>();
  for (const line of output.split("\n")) {
    const match = /^@([a-z][a-z0-9.-]*) (\d{1,3}) (.*)$/u.exec(line);
    const [, id = "", code = "", said = ""] = match ?? [];
    if (match !== null && !found.has(id)) found.set(id, { code: Number(code), said });
  }
  return found;
}

const errnoTexts: readonly (readonly [RegExp, string])[] = [
  [/Read-only file system/u, "EROFS"],
  [/Permission denied/u, "EACCES"],
  [/Operation not permitted/u, "EPERM"],
  [/No such file or directory/u, "ENOENT"],
  [/Not a directory/u, "ENOTDIR"],
  [/Connection refused/u, "ECONNREFUSED"],
  [/Network is unreachable/u, "ENETUNREACH"],
  [/Cannot assign requested address/u, "EADDRNOTAVAIL"],
  [/File exists/u, "EEXIST"],
];

/** The errno that an answer tells of, or its exit code. */
export function errnoOf({ code, said }: Answer): string {
  if (code === 0) return "ok";
  return errnoTexts.find(([pattern]) => pattern.test(said))?.[1] ?? `exit ${code}`;
}
