// Files, archives, devices and databases.
import type { ToolCase } from "./tool-case.ts";

export const files: readonly ToolCase[] = [
  {
    name: "mktemp and TMPDIR",
    needs: ["mktemp"],
    script: `file=$(mktemp) && directory=$(mktemp -d) && echo text > "$file" && stat -c '%a %F' "$file" "$directory" && cat "$file" && rm -r "$file" "$directory"
echo x > /tmp/gb-ordinary-$$ && cat /tmp/gb-ordinary-$$ && rm /tmp/gb-ordinary-$$`,
  },
  {
    name: "tar, find, sort with temporary files, checksums",
    strictToo: true,
    needs: ["tar", "find", "sort", "sha256sum"],
    script: `mkdir -p tree/a/b && seq 1 50000 | sort -R --random-source=/dev/zero > tree/a/b/numbers && chmod 640 tree/a/b/numbers && ln -s a/b/numbers tree/link
tar -czf tree.tgz tree && mkdir out && tar -xzf tree.tgz -C out && find out -type f -size +1k -perm 640 && find out -type l -exec readlink {} +
sort -n -S 100K out/tree/link | sha256sum && du -a tree | wc -l && cmp tree/a/b/numbers out/tree/a/b/numbers && echo same`,
  },
  {
    name: "tar: hard links, sparse files, times, modes, appended, incremental, to and from a pipe",
    needs: ["tar"],
    script: `mkdir t && echo x > t/f && ln t/f t/hard && ln -s f t/soft && truncate -s 1M t/sparse && chmod 751 t && touch -d 2001-02-03T04:05:06Z t/f && mkfifo t/pipe
tar -cSf a.tar t && tar -rf a.tar -C t f && tar -tf a.tar && mkdir o && tar -xpf a.tar -C o && stat -c '%n %h %s %a %Y' o/t/f o/t/hard && stat -c '%F %s' o/t/sparse o/t/pipe && readlink o/t/soft
tar -c t | (mkdir p && cd p && tar -x) && find p | sort && tar -g snap -cf inc0.tar t && echo y > t/new && tar -g snap -cf inc1.tar t && tar -tf inc1.tar`,
  },
  {
    name: "rsync: copies, updates, deletes, partial and in-place writes, hard links, checksums",
    strictToo: true,
    needs: ["rsync"],
    script: `mkdir -p from/sub && echo one > from/one && echo two > from/sub/two && ln -s one from/link && ln from/one from/hard && chmod 600 from/sub/two && touch -d 2001-02-03T04:05:06Z from/one from/sub
rsync -aH from/ to/ && find to -printf '%P %y %m %n %l\\n' | sort && echo more >> from/one && rm from/sub/two && rsync -aHi --delete from/ to/ && cat to/hard
rsync -a --inplace from/ to/ && rsync -ac --backup --suffix=.old --partial-dir=.part from/ third/ && ls -A third && rsync -an --delete from/ to/ | wc -l`,
  },
  {
    name: "find and xargs: many files, parallel, deleted, executed in their directory, odd names",
    strictToo: true,
    needs: ["find", "xargs"],
    script: `mkdir -p many/deep && for n in $(seq 300); do : > "many/f $n"; done && printf x > "many/deep/new
line" && find many -type f -print0 | xargs -0 -P 4 -n 50 ls -d | wc -l && find many -name 'f 1*' -exec sh -c 'echo $#' sh {} + && find many -execdir pwd \\; | sort -u | sed 's|.*/||'
find many -size +0 -print0 | tr '\\n\\0' '?\\n' && find many -name 'f *' -delete && find many | wc -l && seq 5 | xargs -I{} -P 2 sh -c 'echo {} > many/{}' && cat many/[1-5] && touch -d 2001-02-03 many/1 && find . -newer many/1 -prune | wc -l`,
  },
  {
    name: "links, renames across directories, modes, times, copies",
    needs: ["cp", "mv", "ln", "stat", "sed"],
    script: `mkdir one two && echo text > one/file && ln one/file two/hard && mv one/file two/file && stat -c %h two/file
chmod 700 two/file && touch -d 2001-02-03T04:05:06Z two/file && cp -a two three && stat -c '%a %Y' three/file && sed -i s/text/other/ three/file && cat three/file two/hard
cp --reflink=auto three/file four && rm -r one two three && mkdir -p deep/er && mv deep moved && ls moved && umask 077 && touch closed && stat -c %a closed`,
  },
  {
    name: "devices, pipes, locks, shared memory",
    strictToo: true,
    needs: ["flock", "mkfifo", "dd"],
    script: `head -c 4 /dev/urandom | wc -c && echo gone > /dev/null && dd if=/dev/zero bs=1k count=2 2>/dev/null | wc -c && cat /dev/null
mkfifo pipe && { echo through > pipe & } && cat pipe && wait && flock lock -c 'echo locked' && echo stdin | cat /dev/stdin /proc/self/fd/0
echo x > /dev/shm/gb-ordinary-$$ && cat /dev/shm/gb-ordinary-$$ && rm /dev/shm/gb-ordinary-$$ && printf err >&2`,
  },
  {
    name: "sqlite3: transactions, a write-ahead log, a dump, an attached base, vacuum",
    needs: ["sqlite3"],
    script: `sqlite3 a.db 'pragma journal_mode=wal; create table t(x integer primary key, y); with recursive n(i) as (select 1 union all select i+1 from n where i<1000) insert into t select i, i*i from n; select sum(y) from t;'
sqlite3 a.db 'begin; delete from t where x>10; rollback; select count(*) from t; vacuum into "b.db"; pragma wal_checkpoint(truncate); pragma journal_mode=delete;' && sqlite3 b.db "attach 'a.db' as o; select count(*) from o.t join t using (x);" '.backup c.db' && sqlite3 c.db .dump | sha256sum
sqlite3 a.db 'pragma integrity_check; vacuum;' && ls`,
  },
  {
    name: "strace of a program of one's own",
    strictToo: true,
    needs: ["strace"],
    script: `echo in > f && strace -f -e trace=openat,execve -o trace.txt sh -c 'cat f' && grep -c 'execve("/.*/cat"' trace.txt && grep -o 'openat(AT_FDCWD, "f", O_RDONLY) *= 3' trace.txt && strace -c -o count.txt true && grep -c execve count.txt`,
  },
];
