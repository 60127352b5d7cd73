/** The commands of `ralph stories`: declared here, each one's code is loaded when it is called. */
import { type Command, InvalidArgumentError } from 'commander';
import { DEFAULT_AGENT } from '../../agents/index.ts';
import { RalphError } from '../../core/error.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { addSandboxFlags } from '../sandbox-flags.ts';
import type { ArchiveFlags } from './archive.ts';
import type { InitFlags } from './init.ts';
import type { Program, StoriesRunFlags } from './run.ts';
import type { PlaceFlags, ResumeFlags } from './steer.ts';

type ExitWith = (code: Promise<number>) => Promise<void>;

export function addStories(stories: Command, exitWith: ExitWith, program: Program): void {
  const { here } = program;
  const plan = (act: () => Promise<number>): Promise<void> => exitWith(told(act));

  withList(
    withPlace(
      stories.command('init').description('Prepare a project: ralph/ with prompt, PRD, task list and progress log.'),
    ),
  )
    .option('--name <feature>', 'the feature; the list names its branch ralph/<feature>, which is yours to make')
    .option('--force', 'overwrite what is there')
    .addHelpText('after', '\nExample:\n  ralph stories init --name checkout')
    .action((flags: InitFlags) => plan(async () => (await import('./init.ts')).initCommand(flags, here)));

  withRun(
    withList(
      withPlace(
        stories
          .command('run')
          .description('Run the loop: implement, review with a fresh context, fix, until every story is approved.'),
      ),
    ),
  )
    .addHelpText('after', RUN_EXAMPLES)
    .action((flags: StoriesRunFlags) => plan(async () => (await import('./run.ts')).runCommand(flags, program)));

  withPlace(stories.command('pause').description('Pause the loop of this project after its current iteration.'))
    .addHelpText('after', '\nExample:\n  ralph stories pause      # then edit ralph/tasks.json, and resume')
    .action((flags: PlaceFlags) => plan(async () => (await import('./steer.ts')).pauseCommand(flags)));

  withPlace(
    stories
      .command('resume')
      .description('Continue the last loop: one that was paused or interrupted, or that ended before it was done.'),
  )
    .option('-n, --max-iterations <n>', 'max loop iterations (default: as before)', positiveInteger)
    .addHelpText('after', '\nExamples:\n  ralph stories resume\n  ralph stories resume -n 30')
    .action((flags: ResumeFlags) => plan(async () => (await import('./steer.ts')).resumeCommand(flags, program)));

  withKnownList(
    withPlace(stories.command('status').description('Show the stories, their reviews, the loop and what is left.')),
  )
    .option('--json', 'for programs')
    .addHelpText('after', '\nExample:\n  ralph stories status')
    .action((flags: PlaceFlags & { json?: boolean }) =>
      plan(async () => (await import('./status.ts')).statusCommand(flags)),
    );

  withKnownList(
    withPlace(stories.command('check').description("Make the Stop hook's checks now, and print what it would say.")),
  )
    .addHelpText('after', '\nExample:\n  ralph stories check')
    .action((flags: PlaceFlags) => plan(async () => (await import('./check.ts')).checkCommand(flags, program.self)));

  withKnownList(
    withPlace(stories.command('archive').description('File the loop away in ralph-archive/ and start afresh.')),
  )
    .option('--label <label>', 'its name (default: the branch of tasks.json, else the one that is checked out)')
    .option('--include-logs', 'ralph/logs, too')
    .addHelpText('after', '\nExample:\n  ralph stories archive --label checkout')
    .action((flags: ArchiveFlags) => plan(async () => (await import('./archive.ts')).archiveCommand(flags, program)));
}

function withPlace(command: Command): Command {
  return command.option('-d, --project-dir <path>', 'project root (default: cwd)');
}

function withList(command: Command): Command {
  return command.option('--ralph-dir <path>', 'path to ralph/ directory (default: ./ralph)');
}

function withKnownList(command: Command): Command {
  return command.option('--ralph-dir <path>', "path to ralph/ directory (default: the last loop's, else ./ralph)");
}

const RUN_EXAMPLES = `
Without a word about it the loop runs in the strongest sandbox that is there: Docker's, the operating system's, none.

Examples:
  ralph stories run -n 20 --review-cap 3
  ralph stories run --sandbox                            # Docker, or an error
  ralph stories run --sandbox=os --allow-host example.com
  ralph stories run --dry-run                            # what would run, and what it could do`;

function withRun(command: Command): Command {
  return addSandboxFlags(command, "force direct mode with the plugin's guard")
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
    .option('--dry-run', 'show the first iteration, its command line and what its sandbox allows; start nothing');
}

/** Seed 003 says `Error: …`. */
async function told(act: () => Promise<number>): Promise<number> {
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

function positiveInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('It must be a positive integer.');
  return number;
}

function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === null) throw new InvalidArgumentError('It must be a duration such as 500ms, 1s or 2m.');
  return ms;
}
