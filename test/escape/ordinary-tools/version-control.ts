// Git in the project: whatever a person does with a repository in a day, judged by the graph and the files that it leaves.
import type { ToolCase } from "./tool-case.ts";

/** Equal commits on both sides: the dates are fixed. */
export const gitSetup = `
export GIT_AUTHOR_DATE='2001-02-03T04:05:06Z' GIT_COMMITTER_DATE='2001-02-03T04:05:06Z'
git init -q -b main repo && cd repo
git config user.name 'A Person' && git config user.email person@example.org
echo one > a.txt && git add a.txt && git commit -qm first`;

export const versionControl: readonly ToolCase[] = [
  {
    name: "git: init, commit, branch, rebase, merge, stash, gc",
    strictToo: true,
    needs: ["git"],
    script: `${gitSetup}
git checkout -qb topic && echo two > b.txt && git add . && git commit -qm topic
git checkout -q main && echo three > c.txt && git add . && git commit -qm main
git checkout -q topic && git rebase -q main && git checkout -q main && git merge -q topic
echo four >> a.txt && git stash -q && git stash pop -q && git commit -qam fourth
git gc -q && git fsck --strict 2>&1 && git status --short && git log --format='%H %s'`,
  },
  {
    name: "git: clone, worktree, tag, push to a bare repository",
    needs: ["git"],
    script: `${gitSetup}
cd .. && git init -q --bare -b main shared.git && cd repo && git remote add origin ../shared.git && git push -q origin main && git tag v1
git worktree add -q ../tree -b other && cd ../tree && echo x > x.txt && git add . && git commit -qm other && cd ..
git clone -q shared.git copy && git -C copy log --format='%H %s' && git -C repo branch --list && git -C repo worktree prune && ls tree`,
  },
  {
    name: "git: submodule, recursive clone, worktree moved and removed, tracking branch, sparse checkout, notes, bisect, dumb transport lists",
    needs: ["git"],
    script: `${gitSetup}
git checkout -q --track -b follower main && git checkout -q main && git clone -q . ../part 2>/dev/null; cd ../repo
git -c protocol.file.allow=always submodule add -q ../part part && git commit -qm part && git submodule status && cat part/.git && git -C part log --format=%s
cd .. && git -c protocol.file.allow=always clone -q --recurse-submodules repo whole 2>/dev/null; git -C whole submodule status | cut -c1-41
cd repo && git worktree add -q ../tree -b other && git worktree move ../tree ../moved && git -C ../moved status --short && git worktree remove ../moved && git worktree list | wc -l
git notes add -m note && git sparse-checkout set part && ls && git sparse-checkout disable && git bisect start && git bisect reset -q && git branch -m other another
git update-server-info && git repack -adq && git mv a.txt z.txt && git reset -q --hard && git clean -fdq && git config --local --get-regexp '^(user|submodule)' && git fsck 2>&1`,
  },
  {
    name: "git: branch --track and --set-upstream-to, pull with rebase, fetch, upstream counts, remote renamed and removed",
    needs: ["git"],
    script: `${gitSetup}
cd .. && git clone -q repo copy && cd copy && git config user.name 'A Person' && git config user.email person@example.org
git branch -q --track other origin/main && git checkout -q -b third && git branch -q --set-upstream-to=origin/main && git config branch.other.merge
echo two > b.txt && git add b.txt && git commit -qm mine && (cd ../repo && echo three > c.txt && git add c.txt && git commit -qm theirs)
git pull -q --rebase && git fetch -q --all && git rev-list --left-right --count origin/main...HEAD && git log --graph --format=%s
git remote rename origin up && git config branch.other.remote && git remote set-url up ../elsewhere && git remote -v && git remote remove up && git config --get-regexp '^branch' | wc -l`,
  },
  {
    name: "git: interactive rebase, amend, cherry-pick, revert, conflict, stash of untracked files, reflog, gc with a worktree",
    needs: ["git"],
    script: `${gitSetup}
for n in 1 2 3; do echo $n > f$n && git add f$n && git commit -qm "part $n"; done
GIT_SEQUENCE_EDITOR='sed -i 2s/pick/squash/' GIT_EDITOR=true git rebase -qi HEAD~2 && git commit -q --amend -m squashed && git log --format=%s
git checkout -qb side HEAD~1 && echo else > a.txt && git commit -qam side && git checkout -q main && echo main > a.txt && git commit -qam main2
git cherry-pick side >/dev/null 2>&1 || { git status --short && echo both > a.txt && git add a.txt && git -c core.editor=true cherry-pick --continue >/dev/null; }
git revert --no-edit HEAD >/dev/null && cat a.txt && echo loose > loose.txt && git stash -qu && ls && git stash pop -q && ls && git stash list | wc -l
git worktree add -q --detach ../tree && git gc -q --prune=now && git reflog | wc -l && git -C ../tree log -1 --format=%s && git fsck 2>&1 && git count-objects -v | grep -E '^(count|packs)'`,
  },
  {
    name: "git: five hundred files, packed clone, archive, bundle, blame, grep, attributes, ignore rules, hooks are samples",
    needs: ["git", "tar", "seq"],
    script: `${gitSetup}
mkdir many && for n in $(seq 500); do echo "line $n" > many/$n; done && echo '*.log' > .gitignore && echo '*.bin binary' > .gitattributes && touch x.log && git add -A && git commit -qm many
git status --short --ignored && git archive HEAD many | tar -t | wc -l && git bundle create -q ../all.bundle --all && git clone -q ../all.bundle ../copy && git -C ../copy log --format=%H
git grep -c 'line 7$' | head -1 && git blame -s a.txt && git diff --stat HEAD~1 | tail -1 && ls .git/hooks | grep -vc sample; git checkout -q -- . && git check-attr binary x.bin && git describe --always --dirty`,
  },
];
