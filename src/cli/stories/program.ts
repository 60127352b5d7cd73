/** The commands of `ralph stories`: declared here, each one's code is loaded when it is called. */
import type { Command } from 'commander';
import { DEFAULT_AGENT } from '../../agents/index.ts';
import { RalphError } from '../../core/error.ts';
import { addOutputFlags, DETACH, durationLike, exitWith, positiveInteger } from '../arguments.ts';
import { addSandboxFlags } from '../sandbox-flags.ts';
import { declare } from '../task/arguments.ts';
import type { CommandFlags } from './project.ts';
import type { Program, StoriesRunFlags } from './run.ts';

const duration = durationLike('500ms, 1s or 2m');

export function addStories(stories: Command, program: Program): void {
  const command = (name: string, what: string, example = `ralph stories ${name}`): Command =>
    declare(stories, name, what, example).option('-d, --project-dir <path>', 'project root (default: cwd)');
  const doing =
    <Flags>(act: (flags: Flags) => Promise<number>) =>
    (flags: Flags): Promise<void> =>
      exitWith(reportingErrors(() => act(flags)));

  command(
    'init',
    'Prepare a project: ralph/ with prompt, PRD, task list and progress log.',
    'ralph stories init --name checkout',
  )
    .option(...NEW_LIST)
    .option('--name <feature>', 'the feature; the list names its branch ralph/<feature>, which is yours to make')
    .option('--force', 'overwrite what is there')
    .action(doing<CommandFlags>(async (flags) => (await import('./project-files.ts')).initCommand(flags, program)));

  const about = 'Run the loop: implement, review with a fresh context, fix, until every story is approved.';
  withRun(command('run', about, RUN_EXAMPLES).option(...NEW_LIST)).action(
    doing<StoriesRunFlags>(async (flags) => (await import('./run.ts')).runCommand(flags, program)),
  );

  command(
    'pause',
    'Pause the loop of this project after its current iteration.',
    'ralph stories pause      # then edit ralph/tasks.json, and resume',
  ).action(doing<CommandFlags>(async (flags) => (await import('./run.ts')).pauseCommand(flags)));

  const goOn = 'Continue the last loop: one that was paused or interrupted, or that ended before it was done.';
  addOutputFlags(command('resume', goOn, '\nExamples:\n  ralph stories resume\n  ralph stories resume -n 30'))
    .option('-n, --max-iterations <n>', 'max loop iterations (default: as before)', positiveInteger)
    .option(...DETACH)
    .action(doing<CommandFlags>(async (flags) => (await import('./run.ts')).resumeCommand(flags, program)));

  command('status', 'Show the stories, their reviews, the loop and what is left.')
    .option(...KNOWN_LIST)
    .option('--json', 'for programs')
    .action(doing<CommandFlags>(async (flags) => (await import('./status.ts')).statusCommand(flags)));

  command('check', "Make the Stop hook's checks now, and print what it would say.")
    .option(...KNOWN_LIST)
    .action(doing<CommandFlags>(async (flags) => (await import('./status.ts')).checkCommand(flags, program)));

  command('archive', 'File the loop away in ralph-archive/ and start afresh.', 'ralph stories archive --label checkout')
    .option(...KNOWN_LIST)
    .option('--label <label>', 'its name (default: the branch of tasks.json, else the one that is checked out)')
    .option('--include-logs', 'ralph/logs, too')
    .action(doing<CommandFlags>(async (flags) => (await import('./project-files.ts')).archiveCommand(flags, program)));
}

const NEW_LIST = ['--ralph-dir <path>', 'path to ralph/ directory (default: ./ralph)'] as const;
const KNOWN_LIST = ['--ralph-dir <path>', "path to ralph/ directory (default: the last loop's, else ./ralph)"] as const;

const RUN_EXAMPLES = `
Without a word about it the loop runs in the strongest sandbox that is there: Docker's, the operating system's, none.

Examples:
  ralph stories run -n 20 --review-cap 3
  ralph stories run --sandbox                            # Docker, or an error
  ralph stories run --sandbox=os --allow-host example.com
  ralph stories run --dry-run                            # what would run, and what it could do`;

function withRun(command: Command): Command {
  return addSandboxFlags(addOutputFlags(command), "force direct mode with the plugin's guard")
    .option('-n, --max-iterations <n>', 'max loop iterations', positiveInteger, 15)
    .option('-m, --model <model>', 'model to use, such as opus or sonnet')
    .option('--skip-review', 'no fresh-context reviews: implementation iterations set passes=true directly')
    .option(
      '--review-cap <n>',
      'max fresh-context reviews per story; then it is auto-approved with notes',
      positiveInteger,
      5,
    )
    .option('--no-verify', 'do not run verifyCommands: believe the agents that they are green')
    .option('--verify-timeout <duration>', 'how long one of verifyCommands may take (default: 30m)', duration)
    .option('--agent <command>', 'the agent', DEFAULT_AGENT)
    .option('--review-agent <command>', 'another agent for reviews')
    .option('--review-model <model>', 'another model for reviews')
    .option(
      '--failure-backoff <duration>',
      'the pause after a failed iteration, doubled each time (default: 1s)',
      duration,
    )
    .option(
      '--stuck-after <n>',
      'end the loop after n iterations in a row without a commit (default: warn)',
      positiveInteger,
    )
    .option(...DETACH)
    .option('--dry-run', 'show the first iteration, its command line and what its sandbox allows; start nothing');
}

/** Seed 003 says `Error: …`. */
async function reportingErrors(act: () => Promise<number>): Promise<number> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    const mask = (await import('../../config/environment.ts')).ownMask();
    const { hint, exitCode } = error.advice;
    const what = error.code === 'INITIALIZED' ? 'Warning' : 'Error';
    // A message may hold what an agent has written.
    const { printable } = await import('../../stream/printable.ts');
    process.stderr.write(printable(mask(`${what}: ${error.message}\n${hint === undefined ? '' : `hint: ${hint}\n`}`)));
    return exitCode;
  }
}
