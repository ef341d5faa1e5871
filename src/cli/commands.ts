// The list of all operations of the command line, in the order in which help shows them.
import type { CliCommand } from "./command.ts";
import { agentShellCommand } from "./commands/agent-shell.ts";
import { approvalApproveCommand } from "./commands/approval-approve.ts";
import { approvalDenyCommand } from "./commands/approval-deny.ts";
import { approvalLsCommand } from "./commands/approval-ls.ts";
import { approvalShowCommand } from "./commands/approval-show.ts";
import { approvalWatchCommand } from "./commands/approval-watch.ts";
import { artifactGetCommand } from "./commands/artifact-get.ts";
import { artifactLsCommand } from "./commands/artifact-ls.ts";
import { artifactRescueCommand } from "./commands/artifact-rescue.ts";
import { artifactVerifyCommand } from "./commands/artifact-verify.ts";
import { brokerCommand } from "./commands/broker.ts";
import { cacheLsCommand } from "./commands/cache-ls.ts";
import { cacheRmCommand } from "./commands/cache-rm.ts";
import { cellRunCommand } from "./commands/cell-run.ts";
import { createCompletionsCommand } from "./commands/completions.ts";
import { challengeCommand } from "./commands/challenge.ts";
import { checklistCommand } from "./commands/checklist.ts";
import { diffCommand } from "./commands/diff.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { egressDraftCommand } from "./commands/egress-draft.ts";
import { egressExplainCommand } from "./commands/egress-explain.ts";
import { egressLsCommand } from "./commands/egress-ls.ts";
import { egressTailCommand } from "./commands/egress-tail.ts";
import { explainCommand } from "./commands/explain.ts";
import { createHelpCommand } from "./commands/help.ts";
import { hookClaudeCodeCommand } from "./commands/hook-claude-code.ts";
import { hookCodexCommand } from "./commands/hook-codex.ts";
import { hookCursorCommand } from "./commands/hook-cursor.ts";
import { initCommand } from "./commands/init.ts";
import { ledgerLsCommand } from "./commands/ledger-ls.ts";
import { ledgerShowCommand } from "./commands/ledger-show.ts";
import { ledgerVerifyCommand } from "./commands/ledger-verify.ts";
import { mcpServeCommand } from "./commands/mcp-serve.ts";
import { mcpWrapCommand } from "./commands/mcp-wrap.ts";
import { policyCheckCommand } from "./commands/policy-check.ts";
import { policyHashCommand } from "./commands/policy-hash.ts";
import { policyImportCommand } from "./commands/policy-import.ts";
import { policyPssCommand } from "./commands/policy-pss.ts";
import { policySchemaCommand } from "./commands/policy-schema.ts";
import { policyShowCommand } from "./commands/policy-show.ts";
import { policyTrustCommand } from "./commands/policy-trust.ts";
import { proveCommand } from "./commands/prove.ts";
import { runCommand } from "./commands/run.ts";
import { sandboxAttachCommand } from "./commands/sandbox-attach.ts";
import { sandboxCheckpointCommand } from "./commands/sandbox-checkpoint.ts";
import { sandboxCloseCommand } from "./commands/sandbox-close.ts";
import { sandboxExecCommand } from "./commands/sandbox-exec.ts";
import { sandboxForwardCommand } from "./commands/sandbox-forward.ts";
import { sandboxKillCommand } from "./commands/sandbox-kill.ts";
import { sandboxLogsCommand } from "./commands/sandbox-logs.ts";
import { sandboxLsCommand } from "./commands/sandbox-ls.ts";
import { sandboxOpenCommand } from "./commands/sandbox-open.ts";
import { sandboxPauseCommand } from "./commands/sandbox-pause.ts";
import { sandboxCpCommand } from "./commands/sandbox-cp.ts";
import { sandboxPruneCommand } from "./commands/sandbox-prune.ts";
import { sandboxReloadCommand } from "./commands/sandbox-reload.ts";
import { sandboxResumeCommand } from "./commands/sandbox-resume.ts";
import { sandboxStatsCommand } from "./commands/sandbox-stats.ts";
import { setupCommand } from "./commands/setup.ts";
import { shellCommand } from "./commands/shell.ts";
import { createSrtCommand } from "./commands/srt.ts";
import { templateBuildCommand } from "./commands/template-build.ts";
import { templateLsCommand } from "./commands/template-ls.ts";
import { templateRmCommand } from "./commands/template-rm.ts";
import { templateShowCommand } from "./commands/template-show.ts";
import { templateVerifyCommand } from "./commands/template-verify.ts";
import { undoCommand } from "./commands/undo.ts";

export const commands: readonly CliCommand[] = [
  runCommand,
  shellCommand,
  cellRunCommand,
  sandboxOpenCommand,
  sandboxExecCommand,
  sandboxAttachCommand,
  sandboxLsCommand,
  sandboxStatsCommand,
  sandboxLogsCommand,
  sandboxForwardCommand,
  sandboxReloadCommand,
  sandboxCheckpointCommand,
  sandboxPauseCommand,
  sandboxResumeCommand,
  sandboxCloseCommand,
  sandboxKillCommand,
  sandboxCpCommand,
  sandboxPruneCommand,
  approvalLsCommand,
  approvalShowCommand,
  approvalApproveCommand,
  approvalDenyCommand,
  approvalWatchCommand,
  mcpServeCommand,
  mcpWrapCommand,
  setupCommand,
  doctorCommand,
  explainCommand,
  proveCommand,
  checklistCommand,
  challengeCommand,
  diffCommand,
  undoCommand,
  artifactLsCommand,
  artifactGetCommand,
  artifactVerifyCommand,
  artifactRescueCommand,
  cacheLsCommand,
  cacheRmCommand,
  templateBuildCommand,
  templateLsCommand,
  templateShowCommand,
  templateVerifyCommand,
  templateRmCommand,
  policyCheckCommand,
  policyShowCommand,
  policyHashCommand,
  policyTrustCommand,
  policyImportCommand,
  policyPssCommand,
  policySchemaCommand,
  egressLsCommand,
  egressTailCommand,
  egressDraftCommand,
  egressExplainCommand,
  ledgerLsCommand,
  ledgerShowCommand,
  ledgerVerifyCommand,
  initCommand,
  createSrtCommand(() => commands),
  agentShellCommand,
  hookClaudeCodeCommand,
  hookCodexCommand,
  hookCursorCommand,
  brokerCommand,
  createCompletionsCommand(() => commands),
  createHelpCommand(() => commands),
];
