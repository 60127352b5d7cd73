/** Declares the commands that look at loops and steer them, whatever their kind. */
import { type Command, InvalidArgumentError } from 'commander';
import { addOutputFlags, age, DETACH, exitWith, positiveInteger, self, size } from '../arguments.ts';
import type { ResumeFlags } from '../run.ts';
import { declare } from '../task/arguments.ts';
import type { LoopsContext } from './context.ts';
import type { DiffFlags } from './diff.ts';
import type { GcFlags } from './gc.ts';
import type { LogsFlags } from './logs.ts';
import type { LsFlags } from './ls.ts';
import type { RewindFlags } from './rewind.ts';

const LOOP = 'an id, the beginning of one, a worker or a task (default: the newest here)';

export function addLoopCommands(program: Command): void {
  const named = (name: string, what: string, example: string): Command =>
    declare(program, name, what, example).argument('[loop]', LOOP);

  declare(program, 'ls', 'List loops: those of this directory first.', LS_EXAMPLES)
    .option('-a, --all', 'all loops of this machine, also those that ended long ago')
    .option('--json', 'for programs')
    .action((flags: LsFlags) => run(async (context) => (await import('./ls.ts')).lsCommand(flags, context)));

  named('status', 'Show how a loop is, and what comes next.', 'ralph status k3x9')
    .option('--json', 'for programs')
    .action((loop: string | undefined, flags: { json?: boolean }) =>
      run(async (context) => (await import('./status.ts')).statusCommand(loop ?? null, flags, context)),
    );

  named('show', 'Show what a loop did, iteration by iteration: checks, time, cost, commits.', SHOW_EXAMPLES)
    .option('--json', 'for programs')
    .action((loop: string | undefined, flags: { json?: boolean }) =>
      run(async (context) => (await import('./show.ts')).showCommand(loop ?? null, flags, context)),
    );

  named('logs', 'Show what the agents of a loop printed.', LOGS_EXAMPLES)
    .option('-f, --follow', 'go on as it grows, until the loop ends')
    .option('--iteration <n>', 'only this iteration', positiveInteger)
    .action((loop: string | undefined, flags: LogsFlags) =>
      run(async (context) => {
        const { handleCancel } = await import('../terminal/signals.ts');
        const { cancel: signal, release } = handleCancel(() => undefined);
        try {
          return await (await import('./logs.ts')).logsCommand(loop ?? null, flags, { ...context, signal });
        } finally {
          release();
        }
      }),
    );

  named('diff', 'Show what a loop has changed, or its iteration N.', DIFF_EXAMPLES)
    .argument('[N]', 'the iteration (default: all of them)')
    .option('--stat', 'only how much was changed in each file')
    .option('--name-only', 'only the names of the files')
    .action((loop: string | undefined, n: string | undefined, flags: DiffFlags) =>
      run(async (context) => (await import('./diff.ts')).diffCommand(given(loop, n), flags, context)),
    );

  named('rewind', 'Bring back the files as iteration N left them: in a new branch, or in place.', REWIND_EXAMPLES)
    .argument('[N]', 'the iteration; 0 is before the first one')
    .usage('[options] [loop] <N>')
    .option('--branch <name>', 'the name of the branch (default: ralph/<loop>-<N>)')
    .option('--in-place', 'change the files in the work tree, after a backup of what is there')
    .option('-y, --yes', 'do not ask')
    .action((loop: string | undefined, n: string | undefined, flags: RewindFlags) =>
      run(async (context) => (await import('./rewind.ts')).rewindCommand(given(loop, n), flags, context)),
    );

  for (const command of ['pause', 'stop'] as const) {
    const what = command === 'pause' ? 'Pause a loop' : 'Stop a loop';
    named(command, `${what} after the current iteration.`, `ralph ${command} k3x9 --now`)
      .option('--now', 'end its agent, and do it at once')
      .action((loop: string | undefined, flags: { now?: boolean }) =>
        run(async (context) => (await import('./steer.ts')).haltCommand(command, loop ?? null, flags, context)),
      );
  }

  for (const as of ['tell', 'answer'] as const) {
    const what = as === 'tell' ? 'Say something to the agent of a loop' : 'Answer a loop that needs you';
    declare(program, as, `${what}: it stands in the next prompt.`, `ralph ${as} k3x9 "Use PostgreSQL."`)
      .argument('<words...>', `the loop (${LOOP}) and what to say`)
      .action((words: string[]) => {
        const { loop, text } = loopAndText(words);
        return run(async (context) => (await import('./steer.ts')).tellCommand(as, loop, text, context));
      });
  }

  named('attach', "Show the pane of a loop's agent: of --runner tmux, or of a worker.", 'ralph attach k3x9').action(
    (loop: string | undefined) =>
      run(async (context) => (await import('./attach.ts')).attachCommand(loop ?? null, context)),
  );

  addGc(program);
  addOutputFlags(named('resume', 'Continue a loop that was paused, interrupted or stopped early.', RESUME_EXAMPLES))
    .option('-m, --maximum-iterations <n>', 'maximum iterations of the whole loop before stopping', positiveInteger)
    .option('-V, --verbose', 'enable verbose/debug output')
    .option(...DETACH)
    .action((loop: string | undefined, flags: ResumeFlags) =>
      run(async (context) => {
        if (flags.detach === true) return (await import('../terminal/detach.ts')).detach();
        const here = { self: self(), here: import.meta.dirname };
        return (await import('./resume.ts')).resumeCommand(loop ?? null, flags, context, here);
      }),
    );
}

function given(...words: readonly (string | undefined)[]): string[] {
  return words.filter((word) => word !== undefined);
}

function addGc(program: Command): void {
  const what = 'Delete old loops from the state directory: none that runs, or could be continued.';
  declare(program, 'gc', what, GC_EXAMPLES)
    .option('--older-than <duration>', 'delete loops in which nothing has happened for so long (default: 30d)', age)
    .option('--keep-bytes <size>', 'delete the oldest where all loops take more together (default: 5GB)', size)
    .option('--dry-run', 'list what would be deleted, with sizes; delete nothing')
    .action((flags: Partial<GcFlags>) =>
      run(async (context) => {
        const { gcCommand, KEEP } = await import('./gc.ts');
        return gcCommand({ ...KEEP, ...flags }, context);
      }),
    );
}

const GC_EXAMPLES = `
It also runs by itself, once a day at the end of a loop.

Examples:
  ralph gc --dry-run
  ralph gc --older-than 7d --keep-bytes 1GB`;

/** `"…"` alone is for the newest loop here. */
function loopAndText(words: readonly string[]): { readonly loop: string | null; readonly text: string } {
  const [first = '', second, ...more] = words;
  if (more.length > 0) throw new InvalidArgumentError('Put what you want to say in quotes.');
  return second === undefined ? { loop: null, text: first } : { loop: first, text: second };
}

async function run(command: (context: LoopsContext) => Promise<number>): Promise<void> {
  const { loopsContext } = await import('./context.ts');
  return exitWith(command(loopsContext()));
}

const LS_EXAMPLES = `
Examples:
  ralph ls               # here, and what runs elsewhere
  ralph ls --all --json`;

const SHOW_EXAMPLES = `
Examples:
  ralph show             # the newest loop here
  ralph show k3x9 --json | jq '.iterations[].outcome'`;

const LOGS_EXAMPLES = `
Examples:
  ralph logs -f                    # follow the newest loop here
  ralph logs k3x9 --iteration 2`;

const DIFF_EXAMPLES = `
Files are compared as they were when the agent of each iteration ended. Ignored files and those over 10 MB are not kept.

Examples:
  ralph diff                    # everything that the newest loop here has changed
  ralph diff k3x9 3 --stat      # the third iteration of a loop
  ralph diff 3 | git apply -R   # undo it`;

const REWIND_EXAMPLES = `
A branch gets one commit on top of HEAD; the work tree is not touched. Files over 10 MB are not in it; the files of
repositories inside, also of submodules, are in it as files.

Examples:
  ralph rewind 2                # the branch ralph/<loop>-2
  ralph rewind 2 --in-place     # tells how to bring back what was there`;

const RESUME_EXAMPLES = `
Examples:
  ralph resume           # after Ctrl-C, a crash, a reboot or a usage limit
  ralph resume k3x9 -m 20     # with more iterations
  ralph resume k3x9 --detach  # in the background`;
