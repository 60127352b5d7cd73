/** Declares the commands that run agents for a task: `ralph task run|resume|stop` and `ralph job`. */
import { type Command, InvalidArgumentError } from 'commander';
import { addOutputFlags, DETACH, exitWith, self } from '../arguments.ts';
import type { JobFlags } from '../job.ts';
import { addSandboxFlags } from '../sandbox-flags.ts';
import { collect, declare, goDuration } from './arguments.ts';
import type { TaskRunFlags } from './run.ts';
import type { TaskStopFlags } from './stop.ts';

export function addTaskLoops(task: Command): void {
  const program = () => ({ self: self() });
  const run = task
    .command('run', { isDefault: true })
    .description('Start an agent again and again until the task has a DONE file.');
  withAgent(withTask(run))
    .option('--prompt <text>', 'what to do; kept as TASK.md where there is none yet')
    .option('--prompt-file <path>', 'the same from a file; - is stdin')
    .option('--replace-prompt', 'replace the TASK.md of a task that has another prompt')
    .option('--max-restarts <n>', 'how often the agent is started, at most (default: 100)', count)
    .option('--depends-on <task>', 'wait until this task is done; may be repeated', collect)
    .option('--dependency-poll-interval <duration>', 'time between looks at those tasks (default: 2s)', goDuration);
  addSandboxFlags(addOutputFlags(withLoopTimes(run)))
    .option(...DETACH)
    .option('--dry-run', 'show what would be started, and in which sandbox; start and write nothing')
    .addHelpText('after', RUN_EXAMPLE)
    .action(async (flags: TaskRunFlags) => exitWith((await import('./run.ts')).taskRunCommand(flags, program())));

  const goOn = 'Go on with a task that was cut off, stopped, or started too often.';
  const restarts = 'how often the agent is started, at most (default: as before; 3 if that was used up)';
  addOutputFlags(withLoopTimes(withAgent(withTask(declare(task, 'resume', goOn, RESUME_EXAMPLE)))))
    .option('--max-restarts <n>', restarts, count)
    .option(...DETACH)
    .option('--answer <text>', 'what the agent waits for; it is part of every further prompt, and posted to the bus')
    .action(async (flags: TaskRunFlags) => exitWith((await import('./run.ts')).taskResumeCommand(flags, program())));

  const stop = 'Stop a task: its supervisor, its agent and its children.';
  withTask(declare(task, 'stop', stop, `ralph task stop ${ONE}`))
    .option('--force', 'end with SIGKILL what does not stop within 30 seconds')
    .option('--no-restart', 'refuse `ralph task run` for it until you resume it')
    .action(async (flags: TaskStopFlags) => exitWith((await import('./stop.ts')).taskStopCommand(flags)));
}

export function addJob(program: Command): void {
  const what = 'Run an agent once for a task; inside a run, as its child.';
  const example = 'ralph job --project shop --agent codex --prompt "Write tests for the basket"';
  const job = declare(program, 'job', what, example);
  addSandboxFlags(withAgent(withTask(job)))
    .option('--prompt <text>', 'what to do')
    .option('--prompt-file <path>', 'the same from a file; - is stdin')
    .option('--parent-run-id <id>', 'the run that this one is a child of (default: the run that we are in)')
    .option('--previous-run-id <id>', 'the run that this one goes on from')
    .option('-f, --follow', 'show its output while it runs')
    .addOption(job.createOption('--supervise <request>', 'used by supervisors').hideHelp())
    .action(async (flags: JobFlags) => exitWith((await import('../job.ts')).jobCommand(flags, { self: self() })));
}

const ONE = '--project shop --task task-20260220-153045-basket';
const RESUME_EXAMPLE = `
Example:
  ralph task resume ${ONE}
  ralph task resume ${ONE} --answer "Use PostgreSQL."`;
const RUN_EXAMPLE = `
Example:
  ralph task run --project shop --agent claude --prompt "Make the tests pass"
  ralph task run ${ONE} --timeout 10m
  ralph task run --project shop --agent codex --prompt "Make the tests pass" --sandbox=os --dry-run`;

function withTask(command: Command): Command {
  return command
    .option('--project <id>', 'the project (default: the one that we are in)')
    .option('--task <id>', 'the task, task-<YYYYMMDD>-<HHMMSS>-<slug>')
    .option('--root <path>', 'the folder of all projects (default: ~/.run-agent/runs)');
}

function withAgent(command: Command): Command {
  const silent = 'end an agent that prints nothing for so long, such as 10m (default: 0, never)';
  const which = 'one that `ralph agents` lists, or any program that reads a prompt from stdin (default: claude)';
  return command
    .option('--agent <command>', which)
    .option('--agent-flag <flag>', 'a flag for the agent, as --agent-flag=--model=opus; may be repeated', collect)
    .option('--cwd <path>', 'where the agent works (default: the current directory)')
    .option('--timeout <duration>', silent, goDuration)
    .option('--total-timeout <duration>', 'end an agent that runs longer (default: 0, never)', goDuration)
    .option('--grace <duration>', 'time between SIGTERM and SIGKILL (default: 5s)', goDuration);
}

function withLoopTimes(command: Command): Command {
  return command
    .option('--restart-delay <duration>', 'the pause before each restart (default: 1s)', goDuration)
    .option('--child-wait-timeout <duration>', 'how long children are waited for after DONE (default: 5m)', goDuration)
    .option('--child-poll-interval <duration>', 'time between looks at the children (default: 1s)', goDuration);
}

function count(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) {
    throw new InvalidArgumentError('max restarts must not be negative; give a whole number.');
  }
  return number;
}
