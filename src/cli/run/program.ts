/** Declares `ralph run` and `ralph init`. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { InitFlags } from '../init.ts';
import { alsoCalled } from '../program/alias.ts';
import { declare, exitWith } from '../program/declare.ts';
import { addOutageFlags } from '../program/flags/outages.ts';
import { addOutputFlags, DETACH } from '../program/flags/output.ts';
import { addProgressFlags, PROGRESS_FLAGS } from '../program/flags/progress.ts';
import { addProofFlags, PROOF_FLAGS } from '../program/flags/proof.ts';
import { addReviewFlags, REVIEW_FLAGS } from '../program/flags/review.ts';
import { addSandboxFlags, SANDBOX_FLAGS } from '../program/flags/sandbox.ts';
import { addTermFlags, BUDGET_FLAGS, NIGHT_FLAGS } from '../program/flags/terms.ts';
import { type Groups, groupFlags } from '../program/groups.ts';
import { self } from '../program/self.ts';
import { collect, durationLike, positiveInteger } from '../program/values.ts';
import type { RunFlags } from '../run.ts';

export function addRun(program: Command): void {
  const run = program
    .command('run', { isDefault: true })
    .description('Run the agent loop.')
    .usage('[options] ["prompt"]')
    .argument('[prompt...]', 'what to do, in quotes (or use -p, -f, stdin or PROMPT.md)')
    .option('-p, --prompt <text>', 'prompt string to send to agent')
    .option(
      '-f, --prompt-file <path>',
      'path to file containing prompt text, read again for every iteration; - for stdin',
    )
    .option('--agent <name>', 'agent to use: claude, codex, … or any command (default: the installed one)', filled)
    .option('--model <name>', 'model for the agent', filled)
    .option(
      '--check <command>',
      'command that must pass before DONE counts, instead of the detected ones (repeatable)',
      collect,
    )
    .option('-m, --maximum-iterations <n>', 'maximum iterations before stopping', positiveInteger)
    .option('-c, --completion-response <text>', 'completion response text (default: DONE)', filled)
    .option('--stream-agent-output', 'stream agent output to console (the default)')
    .option('--no-stream-agent-output', 'do not stream agent output to console')
    .option(
      '--agent-timeout <duration>',
      'end an agent that runs longer, such as 90s or 30m',
      durationLike('500ms, 90s, 30m or 1h30m'),
    )
    .option('--live-settings', 'read the settings again for every iteration, not only at the start and on resume')
    .option('--dry-run', 'show settings, their origin, the command line and the first prompt, and run nothing')
    .option('-V, --verbose', 'enable verbose/debug output')
    .option(...DETACH)
    .option('--worktree', 'work in a new git worktree, on a new branch')
    .option('--branch <name>', 'name of that branch (default: ralph/, the task and part of the loop id)', filled)
    .addOption(new Option('--runner <where>', 'where the agent runs').choices(['direct', 'tmux']).default('direct'));
  addSandboxFlags(
    addReviewFlags(addProofFlags(addProgressFlags(addOutageFlags(addTermFlags(addOutputFlags(run)))))),
    'run without a sandbox (the default if there are settings)',
  )
    .addHelpText('after', RUN_EXAMPLES)
    .action(async (words: string[], flags: RunFlags) =>
      exitWith((await import('../run.ts')).runCommand(words, flags, self())),
    );
  alsoCalled(run, '--max-iterations <n>', '--maximum-iterations');
  alsoCalled(run, '--timeout <duration>', '--agent-timeout');
  groupFlags(run, RUN_GROUPS);

  declare(program, 'init', 'Initialize settings file interactively.', INIT_EXAMPLES)
    .option('-y, --yes', 'do not ask; write what ralph finds here (agent, checks, sandbox, proof)')
    .option('--force', 'with --yes: replace existing settings')
    .option('--agent <name>', 'agent to use, instead of the installed one', filled)
    .action(async (flags: InitFlags) => exitWith((await import('../init.ts')).initCommand(flags, process.cwd())));
}

const RUN_GROUPS: Groups = {
  'Prompt:': ['prompt', 'prompt-file', 'completion-response'],
  'Agent and checks:': ['agent', 'model', 'check', 'no-check', 'live-settings'],
  'Proof and review:': [...PROOF_FLAGS, ...REVIEW_FLAGS],
  'Limits:': ['maximum-iterations', 'agent-timeout', ...BUDGET_FLAGS],
  'Overnight:': NIGHT_FLAGS,
  'Progress:': PROGRESS_FLAGS,
  'Where it runs:': [...SANDBOX_FLAGS, 'worktree', 'branch', 'runner', 'detach'],
  'Output:': ['quiet', 'verbose', 'json', 'stream-agent-output', 'no-stream-agent-output', 'dry-run'],
};

const INIT_EXAMPLES = `
Examples:
  ralph init              # asks, then writes .ralph/settings.json
  ralph init --yes        # writes what it finds`;

const RUN_EXAMPLES = `Examples:
  ralph run "Fix the failing tests"
  ralph run "Fix the failing tests" --agent codex --check "make test"
  ralph run "Fix the failing tests" --agent claude --review-agent codex
  ralph run -f PROMPT.md -m 20 --agent-timeout 30m
  ralph run -f PROMPT.md --sandbox=os       # in the sandbox of this system
  ralph run -f PROMPT.md --dry-run          # show what would run`;

function filled(text: string): string {
  if (text === '') throw new InvalidArgumentError('must not be empty');
  return text;
}
