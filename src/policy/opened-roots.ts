// Directories that may never be opened: whoever writes there changes what the host trusts, whoever reads there reads its keys.
import path from "node:path";
import type { PolicyFacts } from "../contracts/policy-port.ts";
import { isWithin } from "./path-rules.ts";

/** Not as a write root and not above one; a project may lie below (`/usr/src/app`, `/var/www/site`, `/home/me/project`). */
const broadDirectories = "/ /home /opt /root /srv /tmp /usr /usr/local /usr/src /var /var/lib /var/tmp".split(" ");

/** Not at, above or below one of these. */
const sealedDirectories = [
  "/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /proc /run /sbin /sys",
  "/usr/bin /usr/include /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/libx32 /usr/sbin /usr/share",
  "/usr/local/bin /usr/local/etc /usr/local/include /usr/local/lib /usr/local/libexec /usr/local/sbin /usr/local/share",
  "/var/cache /var/log /var/run /var/spool",
].flatMap((line) => line.split(" "));

/** Of the home directory: not at, above or below one of these. Names below a write root are held by the guard; the root's own name is not. */
const trustedInHome = ".ssh .gnupg .config/fish .config/git .config/autostart .config/systemd .config/environment.d".split(" ");

/** Settings of agents, which hold what they run and may: not one of these itself, wherever it lies. */
const agentSettings = ".claude .codex .cursor .gemini .windsurf .zed".split(" ");

/** Of those in the home directory nothing below either, but for the working trees that agents keep there: those are projects like any other. */
function touchesAgents(root: string, home: string): boolean {
  if (agentSettings.includes(path.basename(root).toLowerCase())) return true;
  return agentSettings.some((name) => {
    const place = path.join(home, name);
    const trees = path.join(place, "worktrees");
    return isWithin(root, place) && (root === trees || !isWithin(root, trees));
  });
}

/** The situation (below `error.`) that forbids this write root, or undefined. @param root absolute, normalised */
export function writeRootFault(root: string, facts: PolicyFacts): string | undefined {
  if (isWithin(facts.home, root)) return "policy.write-root-home";
  const touches = (sealed: string): boolean => isWithin(root, sealed) || isWithin(sealed, root);
  if ((facts.protectedPaths ?? []).some(touches)) return "policy.write-root-own";
  if (trustedInHome.some((name) => touches(path.join(facts.home, name)))) return "policy.write-root-trusted";
  if (touchesAgents(root, facts.home)) return "policy.write-root-trusted";
  if (broadDirectories.some((broad) => isWithin(broad, root)) || sealedDirectories.some(touches)) return "policy.write-root-system";
  return undefined;
}

/** The same for an allowed read. A single directory of the home may be opened, the whole home may not. */
export function readRootFault(root: string, facts: PolicyFacts): string | undefined {
  if (isWithin(facts.home, root)) return "policy.read-root-home";
  return (facts.protectedPaths ?? []).some((own) => isWithin(root, own) || isWithin(own, root)) ? "policy.read-root-own" : undefined;
}

/**
 * True when a path that lies in a write root leads out of it: then a command of an earlier run may have planted the link. INVARIANT I-15
 * @param written absolute, as the policy says it; @param roots the write roots, absolute, as the policy says them
 */
export function leadsOutOfRoot(written: string, roots: readonly string[], facts: PolicyFacts): boolean {
  const behindLinks = (place: string): string => facts.canonicalPath?.(place) ?? place;
  const real = behindLinks(written);
  return roots.some((root) => root !== written && isWithin(written, root) && !isWithin(real, behindLinks(root)));
}
