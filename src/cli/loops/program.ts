/** Declares the commands that look at loops and steer them, whatever their kind. */
import { type Command, Option } from 'commander';
import { RalphError } from '../../core/error.ts';
import { alsoCalled } from '../program/alias.ts';
import { declare, exitWith } from '../program/declare.ts';
import { addOutputFlags, DETACH } from '../program/flags/output.ts';
import { addProofChangeFlags } from '../program/flags/proof.ts';
import { addReviewAgent } from '../program/flags/review.ts';
import { addBudgetFlags, addStoryBudget } from '../program/flags/terms.ts';
import { self } from '../program/self.ts';
import { age, positiveInteger, sinceWhen, size, startTime } from '../program/values.ts';
import type { ResumeFlags } from '../run.ts';
import type { TopFlags } from '../top/top.ts';
import type { LoopsContext } from './context.ts';
import type { DiffFlags } from './diff.ts';
import type { GcFlags } from './gc.ts';
import type { LogsFlags } from './logs.ts';
import type { LsFlags } from './ls.ts';
import type { ReportFlags } from './report.ts';
import type { RewindFlags } from './rewind.ts';

const LOOP = 'id of a loop or its beginning, worker or task (default: the newest here)';

export function addLoopCommands(program: Command): void {
  const named = (name: string, what: string, example: string): Command =>
    declare(program, name, what, example).argument('[loop]', LOOP);

  declare(program, 'ls', 'List loops, those of this directory first.', LS_EXAMPLES)
    .option('-a, --all', 'list every loop on this machine, including those that ended long ago')
    .option('--json', 'print JSON')
    .action((flags: LsFlags) => run(async (context) => (await import('./ls.ts')).lsCommand(flags, context)));

  declare(program, 'top', 'Watch and steer all loops on a full screen.', TOP_EXAMPLES)
    .option('-a, --all', 'show every loop on this machine, including those that ended long ago')
    .action((flags: TopFlags) => run(async (context) => (await import('../top/top.ts')).topCommand(flags, context)));

  named('status', 'Show the state of a loop and what comes next.', 'ralph status k3x9')
    .option('--json', 'print JSON')
    .action((loop: string | undefined, flags: { json?: boolean }) =>
      run(async (context) => (await import('./status.ts')).statusCommand(loop ?? null, flags, context)),
    );

  named('show', 'Show what a loop did in each iteration: checks, time, cost, commits.', SHOW_EXAMPLES)
    .option('--json', 'print JSON')
    .action((loop: string | undefined, flags: { json?: boolean }) =>
      run(async (context) => (await import('./show.ts')).showCommand(loop ?? null, flags, context)),
    );

  named('logs', 'Show what the agents of a loop printed.', LOGS_EXAMPLES)
    .option('-f, --follow', 'keep printing until the loop ends')
    .option('--iteration <n>', 'print only this iteration', positiveInteger)
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

  named('diff', 'Show what a loop, or one iteration of it, changed.', DIFF_EXAMPLES)
    .argument('[N]', 'the iteration (default: all)')
    .option('--stat', 'print only how much changed in each file')
    .option('--name-only', 'print only the names of changed files')
    .action((loop: string | undefined, n: string | undefined, flags: DiffFlags) =>
      run(async (context) => (await import('./diff.ts')).diffCommand(given(loop, n), flags, context)),
    );

  named('rewind', 'Restore the files as iteration N left them; in a new branch, or in place.', REWIND_EXAMPLES)
    .argument('[N]', 'the iteration; 0 is the state before the first one')
    .usage('[options] [loop] <N>')
    .option('--branch <name>', 'the name of the branch (default: ralph/<loop>-<N>)')
    .option('--in-place', 'change the files in the work tree, after a backup')
    .option('-y, --yes', 'do not ask')
    .action((loop: string | undefined, n: string | undefined, flags: RewindFlags) =>
      run(async (context) => (await import('./rewind.ts')).rewindCommand(given(loop, n), flags, context)),
    );

  for (const command of ['pause', 'stop'] as const) {
    const what = command === 'pause' ? 'Pause a loop' : 'Stop a loop';
    named(command, `${what} after the current iteration.`, `ralph ${command} k3x9 --now`)
      .option('--now', `end its current agent or check and ${command} immediately`)
      .action((loop: string | undefined, flags: { now?: boolean }) =>
        run(async (context) => (await import('./steer.ts')).haltCommand(command, loop ?? null, flags, context)),
      );
  }

  for (const as of ['tell', 'answer'] as const) {
    const what = as === 'tell' ? 'Send a message to the agent of a loop' : 'Answer a loop that needs you';
    declare(program, as, `${what}; it becomes part of the next prompt.`, `ralph ${as} k3x9 "Use PostgreSQL."`)
      .usage('[options] [loop] "<text>"')
      .argument('[loop]', LOOP)
      .argument('[text...]', 'text for the agent, in quotes')
      .action((first: string | undefined, more: string[]) => {
        const { loop, text } = loopAndText(as, first === undefined ? [] : [first, ...more]);
        return run(async (context) => (await import('./steer.ts')).tellCommand(as, loop, text, context));
      });
  }

  named(
    'attach',
    "Attach to the tmux pane of a loop's agent (--runner tmux, or a swarm worker).",
    'ralph attach k3x9',
  ).action((loop: string | undefined) =>
    run(async (context) => (await import('./attach.ts')).attachCommand(loop ?? null, context)),
  );

  addReport(program);
  declare(program, 'quota', 'Show how much of its usage windows each agent has used.', QUOTA_EXAMPLES)
    .option('--json', 'print JSON')
    .action((flags: { json?: boolean }) =>
      run(async (context) => (await import('./quota.ts')).quotaCommand(flags, context)),
    );
  addGc(program);
  const about = 'Continue a loop that was paused, interrupted or stopped early.';
  const resume = addReviewAgent(
    addProofChangeFlags(addStoryBudget(addBudgetFlags(addOutputFlags(named('resume', about, RESUME_EXAMPLES))))),
  )
    .option('--until <time>', 'start no agent after this time, such as 07:30', startTime)
    .option('-m, --maximum-iterations <n>', 'new limit for the whole loop', positiveInteger)
    .option('-V, --verbose', 'print debug output')
    .option(...DETACH)
    .action((loop: string | undefined, flags: ResumeFlags) =>
      run(async (context) => {
        if (flags.detach === true) return (await import('../terminal/detach.ts')).detach();
        const here = { self: self(), here: import.meta.dirname };
        return (await import('./resume.ts')).resumeCommand(loop ?? null, flags, context, here);
      }),
    );
  alsoCalled(resume, '--max-iterations <n>', '--maximum-iterations');
}

function given(...words: readonly (string | undefined)[]): string[] {
  return words.filter((word) => word !== undefined);
}

function addReport(program: Command): void {
  declare(program, 'report', 'Report what loops did: results, checks, cost, what needs you.', REPORT_EXAMPLES)
    .argument('[loops...]', 'ids of loops or their beginnings, workers or tasks (default: all that ran since --since)')
    .option('--since <when>', 'a day, a duration or yesterday (default: 24h)', sinceWhen)
    .addOption(new Option('--format <format>', 'format of the report').choices(['text', 'markdown', 'json', 'html']))
    .option('-o, --output <file>', 'write it to a file: .html, .md, .json or .txt')
    .option('--notify', 'notify your receivers when it is ready (see: ralph notify)')
    .action((loops: string[], flags: ReportFlags) =>
      run(async (context) => (await import('./report.ts')).reportCommand(loops, flags, context)),
    );
}

const QUOTA_EXAMPLES = `
It shows what each agent last reported in a loop on this machine. It does not
run any agent or read credentials.

Examples:
  ralph quota
  ralph quota --json`;

const REPORT_EXAMPLES = `
Examples:
  ralph report                       # the last 24 hours
  ralph report --since yesterday -o night.html --notify
  ralph report k3x9 --format markdown >>pull-request.md`;

function addGc(program: Command): void {
  const what = 'Delete old loops from the state directory; those that run or can be resumed stay.';
  declare(program, 'gc', what, GC_EXAMPLES)
    .argument('[loops...]', 'delete these now, even if they could be resumed')
    .option('--older-than <duration>', 'delete loops that ended this long ago (default: 30d)', age)
    .option('--keep-bytes <size>', 'then delete the oldest until all loops fit in this size (default: 5GB)', size)
    .option('--dry-run', 'list what would be deleted, with sizes, and delete nothing')
    .action((loops: string[], flags: Partial<GcFlags>) =>
      run(async (context) => {
        if (loops.length > 0) return (await import('./drop.ts')).dropCommand(loops, flags, context);
        const { gcCommand, KEEP } = await import('./gc.ts');
        return gcCommand({ ...KEEP, ...flags }, context);
      }),
    );
}

const GC_EXAMPLES = `
It also runs automatically once a day, at the end of a loop, and removes what
dead supervisors left behind: locks, clean checkouts of proofs.

Examples:
  ralph gc --dry-run
  ralph gc --older-than 7d --keep-bytes 1GB
  ralph gc k3x9                  # delete one loop, finished or not`;

/** A text alone is for the newest loop here. */
function loopAndText(as: string, words: readonly string[]): { readonly loop: string | null; readonly text: string } {
  const [first, second, ...more] = words;
  if (first === undefined) {
    throw new RalphError('USAGE', 'the text is missing', { hint: `For example: ralph ${as} "Use PostgreSQL."` });
  }
  if (more.length > 0) {
    const hint = `For example: ralph ${as} ${first} "${[second, ...more].join(' ')}"`;
    throw new RalphError('USAGE', 'put what you want to say in quotes', { hint });
  }
  return second === undefined ? { loop: null, text: first } : { loop: first, text: second };
}

async function run(command: (context: LoopsContext) => Promise<number>): Promise<void> {
  const { loopsContext } = await import('./context.ts');
  return exitWith(command(loopsContext()));
}

const LS_EXAMPLES = `
Examples:
  ralph ls               # loops here, and what runs elsewhere
  ralph ls --all --json`;

const TOP_EXAMPLES = `
It shows running loops and those of the last day. Press ? to see the keys.
Quitting does not stop any loop.

Examples:
  ralph top
  ralph top --all        # including those that ended long ago`;

const SHOW_EXAMPLES = `
Examples:
  ralph show             # the newest loop here
  ralph show k3x9 --json | jq '.iterations[].outcome'`;

const LOGS_EXAMPLES = `
Examples:
  ralph logs -f                    # follow the newest loop here
  ralph logs k3x9 --iteration 2`;

const DIFF_EXAMPLES = `
Files are compared as they were when the agent of each iteration ended. Ignored
files and files over 10 MB are not kept.

Examples:
  ralph diff                    # all changes of the newest loop here
  ralph diff k3x9 3 --stat      # the third iteration of a loop
  ralph diff 3 | git apply -R   # undo it`;

const REWIND_EXAMPLES = `
The branch gets one commit on top of HEAD; the work tree is not touched. It does
not contain files over 10 MB. Files of nested repositories and submodules are
added as plain files.

Examples:
  ralph rewind 2                # the branch ralph/<loop>-2
  ralph rewind 2 --in-place     # says how to undo it`;

const RESUME_EXAMPLES = `
Examples:
  ralph resume                # after Ctrl-C, a crash, a reboot or a usage limit
  ralph resume k3x9 -m 20     # with more iterations
  ralph resume k3x9 --allow-edit test/api.test.js   # after a proof rejected it
  ralph resume k3x9 --review-agent codex            # instead of the reviewer
  ralph resume k3x9 --detach  # in the background`;
