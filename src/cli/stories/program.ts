/** Declares the commands of `ralph stories`; the code of each is loaded when it is called. */
import type { Command } from 'commander';
import { DEFAULT_AGENT } from '../../agents/index.ts';
import { declare, exitWith } from '../program/declare.ts';
import { addOutageFlags } from '../program/flags/outages.ts';
import { addOutputFlags, DETACH } from '../program/flags/output.ts';
import { addSeedProgressFlags, SEED_PROGRESS_FLAGS } from '../program/flags/progress.ts';
import { addProofChangeFlags, addProofFlags, PROOF_FLAGS } from '../program/flags/proof.ts';
import { addSandboxFlags, SANDBOX_FLAGS } from '../program/flags/sandbox.ts';
import { addBudgetFlags, addStoryBudget, addTermFlags, BUDGET_FLAGS, NIGHT_FLAGS } from '../program/flags/terms.ts';
import { type Groups, groupFlags } from '../program/groups.ts';
import { durationLike, positiveInteger } from '../program/values.ts';
import type { CommandFlags } from './project.ts';
import type { Program, StoriesRunFlags } from './run.ts';

const duration = durationLike('500ms, 1s or 2m');

export function addStories(stories: Command, program: Program): void {
  const command = (name: string, what: string, example = `ralph stories ${name}`): Command =>
    declare(stories, name, what, example).option('-d, --project-dir <path>', 'project root (default: cwd)');
  stories.addHelpText('after', STORIES_EXAMPLES);
  const doing =
    <Flags>(act: (flags: Flags) => Promise<number>) =>
    (flags: Flags): Promise<void> =>
      exitWith(act(flags));

  command(
    'init',
    'Prepare a project; creates ralph/ with prompt, PRD, task list and progress log.',
    'ralph stories init --name checkout',
  )
    .option(...NEW_LIST)
    .option('--name <feature>', 'name of the feature; its branch is ralph/<feature>, which you create')
    .option('--force', 'overwrite existing files')
    .action(doing<CommandFlags>(async (flags) => (await import('./project-files.ts')).initCommand(flags, program)));

  const about = 'Run the loop: implement, review with a fresh context, fix, until every story is approved.';
  const run = withRun(command('run', about, RUN_EXAMPLES).option(...NEW_LIST)).action(
    doing<StoriesRunFlags>(async (flags) => (await import('./run.ts')).runCommand(flags, program)),
  );
  groupFlags(run, RUN_GROUPS);

  command(
    'pause',
    'Pause the loop after the current iteration.',
    'ralph stories pause      # then edit ralph/tasks.json, and resume',
  ).action(doing<CommandFlags>(async (flags) => (await import('./run.ts')).pauseCommand(flags)));

  const goOn = 'Continue the last loop, if it was paused, interrupted or not finished.';
  const resume = command('resume', goOn, '\nExamples:\n  ralph stories resume\n  ralph stories resume -n 30');
  addProofChangeFlags(addStoryBudget(addBudgetFlags(addOutputFlags(resume))))
    .option('-n, --max-iterations <n>', 'max loop iterations (default: as before)', positiveInteger)
    .option(...DETACH)
    .action(doing<CommandFlags>(async (flags) => (await import('./run.ts')).resumeCommand(flags, program)));

  command('status', 'Show the stories, their reviews, the loop and what is left.')
    .option(...KNOWN_LIST)
    .option('--json', 'print JSON')
    .action(doing<CommandFlags>(async (flags) => (await import('./status.ts')).statusCommand(flags)));

  command('check', "Run the Stop hook's checks now, and print what it would say.")
    .option(...KNOWN_LIST)
    .action(doing<CommandFlags>(async (flags) => (await import('./status.ts')).checkCommand(flags, program)));

  command(
    'archive',
    'Move the finished loop to ralph-archive/ and start over.',
    'ralph stories archive --label checkout',
  )
    .option(...KNOWN_LIST)
    .option('--label <label>', 'name of the archive (default: the branch in tasks.json, or the current branch)')
    .option('--include-logs', 'include ralph/logs')
    .action(doing<CommandFlags>(async (flags) => (await import('./project-files.ts')).archiveCommand(flags, program)));
}

const NEW_LIST = ['--ralph-dir <path>', 'path to ralph/ directory (default: ./ralph)'] as const;
const KNOWN_LIST = ['--ralph-dir <path>', "path to ralph/ directory (default: the last loop's, else ./ralph)"] as const;

const STORIES_EXAMPLES = `Examples:
  ralph stories init --name checkout      # then fill in ralph/prd.md
  ralph stories run
  ralph stories status`;

const RUN_GROUPS: Groups = {
  'Project:': ['project-dir', 'ralph-dir'],
  'Agent:': ['agent', 'model', 'timeout'],
  'Reviews and checks:': ['review-cap', 'skip-review', 'review-agent', 'review-model', 'no-verify', 'verify-timeout'],
  'Proof:': PROOF_FLAGS,
  'Limits:': ['max-iterations', 'stuck-after', 'failure-backoff', ...BUDGET_FLAGS, 'max-cost-per-story'],
  'Overnight:': [...NIGHT_FLAGS, ...SEED_PROGRESS_FLAGS],
  'Where it runs:': [...SANDBOX_FLAGS, 'detach'],
  'Output:': ['quiet', 'json', 'dry-run'],
};

const RUN_EXAMPLES = `
Without --sandbox or --no-sandbox, the loop runs in the strongest sandbox
available: Docker's, the operating system's, or none.

Examples:
  ralph stories run -n 20 --review-cap 3
  ralph stories run --sandbox=os --allow-host example.com
  ralph stories run --dry-run             # show what would run, and its limits`;

function withRun(command: Command): Command {
  return addSandboxFlags(
    addProofFlags(addSeedProgressFlags(addOutageFlags(addStoryBudget(addTermFlags(addOutputFlags(command)))))),
    "force direct mode with the plugin's guard",
  )
    .option('-n, --max-iterations <n>', 'max loop iterations', positiveInteger, 15)
    .option('-m, --model <model>', 'model to use, such as opus or sonnet; in this command -m is not --max-iterations')
    .option(
      '--skip-review',
      'disable the fresh-context review cycle; implementation iterations set passes=true directly',
    )
    .option(
      '--review-cap <n>',
      'max fresh-context reviews per story; then it is auto-approved with notes',
      positiveInteger,
      5,
    )
    .option('--no-verify', 'do not run verifyCommands; trust the agents')
    .option('--verify-timeout <duration>', 'time limit for each of verifyCommands (default: 30m)', duration)
    .option('--agent <command>', 'agent to use', DEFAULT_AGENT)
    .option('--timeout <duration>', 'end an agent that runs this long, such as 30m (default: never)', duration)
    .option('--review-agent <command>', 'agent for reviews (default: the same)')
    .option('--review-model <model>', 'model for reviews (default: the same)')
    .option('--failure-backoff <duration>', 'pause after a failed iteration, doubled each time (default: 1s)', duration)
    .option(
      '--stuck-after <n>',
      'stop after n iterations in a row without a commit (default: only warn)',
      positiveInteger,
    )
    .option(...DETACH)
    .option('--dry-run', 'show the first iteration, its command line and its sandbox, and start nothing');
}
