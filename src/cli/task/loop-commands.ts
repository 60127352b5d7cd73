/** Declares the commands that run agents for a task: `ralph task run|resume|stop` and `ralph job`. */

import { type Command, InvalidArgumentError } from 'commander';
import type { JobFlags } from '../job.ts';
import { alsoCalled } from '../program/alias.ts';
import { declare, exitWith } from '../program/declare.ts';
import { addOutputFlags, DETACH } from '../program/flags/output.ts';
import { addSeedProgressFlags, SEED_PROGRESS_FLAGS } from '../program/flags/progress.ts';
import { addReviewFlags, REVIEW_FLAGS } from '../program/flags/review.ts';
import { addSandboxFlags, SANDBOX_FLAGS } from '../program/flags/sandbox.ts';
import { addTermFlags, BUDGET_FLAGS, NIGHT_FLAGS } from '../program/flags/terms.ts';
import { type Groups, groupFlags } from '../program/groups.ts';
import { self } from '../program/self.ts';
import { collect, positiveInteger } from '../program/values.ts';
import { goDuration } from './arguments.ts';
import type { TaskRunFlags } from './request.ts';
import type { TaskStopFlags } from './stop.ts';

export function addTaskLoops(task: Command): void {
  const program = () => ({ self: self() });
  const run = task
    .command('run', { isDefault: true })
    .description('Start an agent again and again until its task folder has a DONE file.');
  withAgent(withTask(run))
    .option('--prompt <text>', 'what to do; kept as TASK.md of a new task')
    .option('--prompt-file <path>', 'read it from a file; - for stdin')
    .option('--replace-prompt', 'replace the TASK.md of an existing task')
    .option('--max-restarts <n>', 'start the agent at most this many times (default: 100)', count)
    .option('--depends-on <task>', 'wait until this task is done (repeatable)', collect)
    .option('--dependency-poll-interval <duration>', 'how often to look at those tasks (default: 2s)', goDuration);
  alsoCalled(run, '-m, --max-iterations <n>', '--max-restarts', positiveInteger);
  addSandboxFlags(addReviewFlags(addSeedProgressFlags(addTermFlags(addOutputFlags(withLoopTimes(run))))))
    .option(...DETACH)
    .option('--dry-run', 'show what would be started and in which sandbox, and start nothing')
    .addHelpText('after', RUN_EXAMPLE)
    .action(async (flags: TaskRunFlags) => exitWith((await import('./run.ts')).taskRunCommand(flags, program())));
  groupFlags(run, TASK_GROUPS);

  const goOn = 'Continue a task that was interrupted or stopped, or reached its limit.';
  const restarts = 'start the agent at most this many times (default: as before, or 3 more)';
  const resume = withLoopTimes(withAgent(withTask(declare(task, 'resume', goOn, RESUME_EXAMPLE))));
  addOutputFlags(resume)
    .option('--max-restarts <n>', restarts, count)
    .option(...DETACH)
    .option('--answer <text>', 'answer the agent; becomes part of every further prompt and is posted to the bus')
    .action(async (flags: TaskRunFlags) => exitWith((await import('./resume.ts')).taskResumeCommand(flags, program())));
  alsoCalled(resume, '-m, --max-iterations <n>', '--max-restarts', positiveInteger);
  groupFlags(resume, TASK_GROUPS);

  const stop = 'Stop a task with its supervisor, its agent and its children.';
  withTask(declare(task, 'stop', stop, `ralph task stop ${ONE}`))
    .option('--force', 'kill what does not stop within 30 seconds')
    .option('--no-restart', 'refuse `ralph task run` for this task until you resume it')
    .action(async (flags: TaskStopFlags) => exitWith((await import('./stop.ts')).taskStopCommand(flags)));
}

export function addJob(program: Command): void {
  const what = 'Run an agent once for a task; inside a run, as a child of it.';
  const example = 'ralph job --project shop --agent codex --prompt "Write tests for the basket"';
  const job = declare(program, 'job', what, example);
  addSandboxFlags(withAgent(withTask(job)))
    .option('--prompt <text>', 'what to do')
    .option('--prompt-file <path>', 'read it from a file; - for stdin')
    .option('--parent-run-id <id>', 'parent run (default: the run that this is called in)')
    .option('--previous-run-id <id>', 'run that this one continues')
    .option('-f, --follow', 'print its output while it runs')
    .addOption(job.createOption('--supervise <request>', 'used by supervisors').hideHelp())
    .action(async (flags: JobFlags) => exitWith((await import('../job.ts')).jobCommand(flags, { self: self() })));
  groupFlags(job, TASK_GROUPS);
}

const TASK_GROUPS: Groups = {
  'Task:': `project task root prompt prompt-file replace-prompt answer depends-on dependency-poll-interval
    parent-run-id previous-run-id`.split(/\s+/),
  'Agent:': ['agent', 'model', 'agent-flag', ...REVIEW_FLAGS, 'cwd'],
  'Limits:': [
    ...'max-restarts timeout total-timeout grace restart-delay child-wait-timeout child-poll-interval'.split(' '),
    ...BUDGET_FLAGS,
  ],
  'Overnight:': [...NIGHT_FLAGS, ...SEED_PROGRESS_FLAGS],
  'Where it runs:': [...SANDBOX_FLAGS, 'detach'],
  'Output:': ['follow', 'quiet', 'json', 'dry-run'],
};

const ONE = '--project shop --task task-20260220-153045-basket';
const RESUME_EXAMPLE = `
Examples:
  ralph task resume ${ONE}
  ralph task resume ${ONE} \\
    --answer "Use PostgreSQL."`;
const RUN_EXAMPLE = `
Examples:
  ralph task run --project shop --agent claude --prompt "Make the tests pass"
  ralph task run ${ONE} --timeout 10m
  ralph task run --project shop --prompt-file PROMPT.md --review-agent codex
  ralph task run --project shop --prompt-file PROMPT.md --sandbox=os --dry-run`;

function withTask(command: Command): Command {
  return command
    .option('--project <id>', 'the project (default: that of this folder or this run)')
    .option('--task <id>', 'the task: task-<YYYYMMDD>-<HHMMSS>-<slug>')
    .option('--root <path>', 'folder of all projects (default: ~/.run-agent/runs)');
}

function withAgent(command: Command): Command {
  const silent =
    'end an agent that prints nothing for this long, such as 10m; see also --total-timeout (default: 0, never)';
  const which = 'agent that `ralph agents` lists, or any program that reads a prompt from stdin (default: claude)';
  return command
    .option('--agent <command>', which)
    .option('--agent-flag <flag>', 'pass a flag to the agent, as in --agent-flag=--verbose (repeatable)', collect)
    .option('--model <model>', 'model for the agent, such as opus')
    .option('--cwd <path>', 'working directory of the agent (default: this one)')
    .option('--timeout <duration>', silent, goDuration)
    .option('--total-timeout <duration>', 'end an agent that runs this long (default: 0, never)', goDuration)
    .option('--grace <duration>', 'time between SIGTERM and SIGKILL (default: 5s)', goDuration);
}

function withLoopTimes(command: Command): Command {
  return command
    .option('--restart-delay <duration>', 'pause before each restart (default: 1s)', goDuration)
    .option('--child-wait-timeout <duration>', 'how long to wait for children after DONE (default: 5m)', goDuration)
    .option('--child-poll-interval <duration>', 'how often to look at the children (default: 1s)', goDuration);
}

function count(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) {
    throw new InvalidArgumentError('must be a whole number such as 20');
  }
  return number;
}
