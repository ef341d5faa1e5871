// What the mediator costs: one call, and the work of ordinary tools in a write root, beside the same on the host. Budgets: SPECIFICATION.md.
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Sandbox } from "../src/contracts/boundary.ts";
import { capture } from "../src/kit/spawn.ts";
import { measureInTurn, printTimings } from "./measure.ts";
import { openBenchSandbox } from "./open.ts";

const environment = { PATH: "/usr/bin:/bin" };

interface Work {
  readonly name: string;
  /** A ratio; without one it is measured to be known. */
  readonly budget?: number;
  readonly prepare: string;
  readonly run: string;
}

/** Each runs in an empty directory that `prepare` has filled. */
const works: readonly Work[] = [
  {
    name: "git status",
    budget: 1.1,
    prepare: "git init -q . && tar xf ../tree.tar && git add . && git commit -qm x",
    run: "git status --short",
  },
  {
    name: "gcc build of 8 files",
    budget: 1.1,
    prepare:
      "for i in 1 2 3 4 5 6 7 8; do printf '#include <stdio.h>\\n#include <stdlib.h>\\nint f%d(void) { return puts(\"x\"); }\\n' $i > f$i.c; done",
    run: "for i in 1 2 3 4 5 6 7 8; do gcc -O2 -c f$i.c; done; ar rc x.a f?.o",
  },
  {
    name: "npm install of 5,000 files",
    budget: 1.4,
    prepare: "cp ../packages/package.json .",
    run: "npm install --offline --no-audit --no-fund --no-update-notifier --ignore-scripts --cache ./cache",
  },
  { name: "5,000 files made by a loop in C", prepare: "true", run: "../many" },
  {
    name: "git add and commit of 5,000 files",
    budget: 2,
    prepare: "git init -q . && tar xf ../tree.tar",
    run: "git add . && git commit -qm x",
  },
  { name: "untar of 5,000 files", budget: 5, prepare: "true", run: "tar xf ../tree.tar" },
];

const identity = "export HOME=/nonexistent GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b";

/** 500 directories of ten files of 16 KiB, each made, written, given its mode and read again, and nothing computed in between: the least work there can be around a call. */
const manySource = `
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
  char name[64], text[4096];
  memset(text, 'x', sizeof text);
  for (int package = 0; package < 500; package++) {
    snprintf(name, sizeof name, "p%d", package);
    mkdir(name, 0755);
    for (int file = 0; file < 10; file++) {
      snprintf(name, sizeof name, "p%d/f%d", package, file);
      int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
      for (int part = 0; part < 4; part++) if (write(fd, text, sizeof text) < 0) return 1;
      close(fd);
      chmod(name, 0644);
      fd = open(name, O_RDONLY);
      while (read(fd, text, sizeof text) > 0) continue;
      close(fd);
    }
  }
  return 0;
}
`;

const callSource = `
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  struct timespec begin, end;
  close(open("call", O_WRONLY | O_CREAT, 0600));
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int count = 0; count < 10000; count++) close(open("call", O_WRONLY));
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%f", ((double)(end.tv_sec - begin.tv_sec) * 1e6 + (double)(end.tv_nsec - begin.tv_nsec) / 1e3) / 10000);
  return 0;
}
`;

/** One blocking connect to a listener of the program's own, on TCP (`tcp`) or by a path (`unix`). */
const connectSource = `
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
int main(int count, char **words) {
  struct timespec begin, end;
  struct sockaddr_in port = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "connect.sock"};
  int path = count > 1 && strcmp(words[1], "unix") == 0;
  struct sockaddr *address = path ? (void *)&name : (void *)&port;
  socklen_t length = path ? sizeof name : sizeof port;
  int server = socket(path ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
  unlink("connect.sock");
  if (bind(server, address, length) || listen(server, 8) || getsockname(server, address, &length)) return 1;
  double spent = 0;
  for (int round = 0; round < 5000; round++) {
    int from = socket(path ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (connect(from, address, length)) return 1;
    clock_gettime(CLOCK_MONOTONIC, &end);
    spent += (double)(end.tv_sec - begin.tv_sec) * 1e6 + (double)(end.tv_nsec - begin.tv_nsec) / 1e3;
    close(accept(server, 0, 0));
    close(from);
  }
  printf("%f", spent / 5000);
  return 0;
}
`;

/** Each prints the microseconds of one call. */
const calls = [
  { name: "an open for writing", run: "./call" },
  { name: "a connect on TCP", run: "./connect tcp" },
  { name: "a connect by a path", run: "./connect unix" },
] as const;

type Shell = (script: string) => Promise<string>;

const onHost =
  (directory: string): Shell =>
  async (script) => {
    const { code, stdout, stderr } = await capture("/bin/sh", ["-c", `cd ${directory} && ${script}`], { environment, timeoutMs: 120_000 });
    if (code !== 0) throw new Error(`Cannot measure "${script}": ${stderr}`);
    return stdout;
  };

const inSandbox =
  (sandbox: Sandbox, directory: string): Shell =>
  async (script) => {
    const execution = await sandbox.exec({ argv: ["/bin/sh", "-c", script], cwd: directory });
    let text = "";
    for await (const { bytes } of execution.output) text += Buffer.from(bytes).toString();
    const exit = await execution.exit;
    if (exit.kind !== "exited" || exit.code !== 0) throw new Error(`Cannot measure "${script}": ${JSON.stringify(exit)} ${text}`);
    return text;
  };

async function compile(base: string, name: string, source: string): Promise<void> {
  await writeFile(path.join(base, `${name}.c`), source);
  const { code, stderr } = await capture("/usr/bin/gcc", ["-O2", "-static", "-w", "-o", `${base}/${name}`, `${base}/${name}.c`], {
    environment,
  });
  if (code !== 0) throw new Error(`Cannot build the benchmark's program: ${stderr}`);
}

/** The same tree as 50 packages of 100 files, and a package that needs them all. */
const packagesScript = `mkdir packages packages/tree && cd packages/tree && ../../many && cd .. && for one in $(seq 0 49); do
  mkdir package && for part in 0 1 2 3 4 5 6 7 8 9; do mv tree/p$((one * 10 + part)) package; done
  echo '{"name":"p'$one'","version":"1.0.0"}' > package/package.json
  tar czf p$one.tgz package && rm -r package && needs="$needs,\\"p$one\\":\\"file:../packages/p$one.tgz\\""
done && echo '{"name":"all","version":"1.0.0","dependencies":{'\${needs#,}'}}' > package.json`;

/**
 * One round: prepared outside the time, then timed. Each has a directory of its own and none is removed before the end: for minutes after a removal an
 * ext4 without a journal looks through every inode that it has just freed, at a millisecond for each new file.
 */
async function timed(shell: Shell, work: Work): Promise<number> {
  const directory = (await shell("mktemp -d work-XXXXXX")).trim();
  await shell(`cd ${directory} && ${identity} && ${work.prepare}`);
  const started = performance.now();
  await shell(`cd ${directory} && ${identity} && { ${work.run}; } > /dev/null`);
  return performance.now() - started;
}

interface Choice {
  readonly rounds?: number;
  /** Where the trees are made; a tmpfs shows the cost best. */
  readonly parent?: string;
  /** Words of the rows' names; without it all rows. */
  readonly only?: string;
}

async function measure(host: Shell, box: Shell, { rounds = 5, only = "" }: Choice): Promise<void> {
  for (const { name, run } of calls.filter((call) => call.name.includes(only))) {
    const best = { host: Number.POSITIVE_INFINITY, box: Number.POSITIVE_INFINITY };
    for (let round = 0; round < rounds; round += 1) {
      best.host = Math.min(best.host, Number(await host(run)));
      best.box = Math.min(best.box, Number(await box(run)));
    }
    const added = (best.box - best.host).toFixed(1);
    console.log(`\nmediated call, ${name} (best of ${rounds}; budget 50 us): ${added} us more than ${best.host.toFixed(1)} us`);
  }
  for (const work of works.filter(({ name }) => name.includes(only))) {
    const alternatives = [
      { name: "host", run: () => timed(host, work) },
      { name: "glovebox", run: () => timed(box, work) },
    ];
    const budget = work.budget === undefined ? "no budget" : `budget ${work.budget}x`;
    printTimings(`${work.name} (${rounds} rounds in turn; ${budget})`, await measureInTurn(alternatives, rounds));
  }
}

/** All rows take some minutes, most of them npm. */
export async function benchMediator(choice: Choice = {}): Promise<void> {
  const base = await realpath(await mkdtemp(path.join(choice.parent ?? os.tmpdir(), "glovebox-bench-")));
  try {
    const { sandbox, project } = await openBenchSandbox(base);
    const bare = path.join(base, "bare");
    await mkdir(bare);
    await compile(base, "many", manySource);
    await compile(base, "call", callSource);
    await compile(base, "connect", connectSource);
    await onHost(base)("mkdir tree && cd tree && ../many && tar cf ../tree.tar . && cd .. && rm -r tree");
    await onHost(base)(packagesScript);
    for (const name of ["many", "call", "connect", "tree.tar", "packages"])
      for (const place of [bare, project]) await cp(path.join(base, name), path.join(place, name), { recursive: true });
    await measure(onHost(bare), inSandbox(sandbox, project), choice);
    await sandbox.close();
  } finally {
    await rm(base, { recursive: true });
  }
}
