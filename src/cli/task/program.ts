/** Declares `ralph task` and its commands. */
import type { Command } from 'commander';
import { collect, count, declare, durationOption, projectOption, rootOption, run } from './arguments.ts';
import { addTaskLoops } from './loop-commands.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ONE = '--project my-project --task task-20260220-153045-my-feature';
const GC_HELP = `
A loop is deleted when it ended long ago and a later one was started in its directory, or the directory is gone. Loops that
run or can be resumed, and those of swarm workers, are kept. With --project, only loops of its tasks are deleted.

Example:
  ralph task gc --older-than 720h --keep-failed --dry-run`;

export function addTaskCommands(task: Command): void {
  task.addHelpText('after', `\nExample:\n  ralph task list --project my-project\n  ralph task output ${ONE} -f`);
  addTaskLoops(task);
  const only = 'only tasks that are running, active, done, failed, blocked, queued, partial_failure …';
  const list = 'List projects, the tasks of a project, or the runs of a task.';
  addSurvey(declare(task, 'list', list, 'ralph task list --project my-project --status running'))
    .option('--task <id>', 'the task: list its runs')
    .option('--status <status>', only)
    .action(run(async () => (await import('./list.ts')).listCommand));
  const status = 'Show where each task of a project stands.';
  addSurvey(declare(task, 'status', status, 'ralph task status --project my-project --concise'))
    .option('--task <id>', 'only this task')
    .option('--status <status>', 'only running, active, completed, failed, stopped, blocked, done or pending ones')
    .option('--concise', 'one line a task, cut at tabs: task_id status exit_code latest_run done pid_alive')
    .action(run(async () => (await import('./list.ts')).statusCommand));
  const watch = 'Watch tasks until they have ended: exit code 0 when all have, 1 when the time is up.';
  declare(task, 'watch', watch, `ralph task watch ${ONE} --timeout 2h`)
    .addOption(projectOption())
    .option('--task <id>', 'a task to watch; may be repeated', collect, [])
    .addOption(rootOption())
    .addOption(durationOption('--timeout', 'the longest wait', 30 * MINUTE))
    .option('--json', 'a line of JSON for every look that is told')
    .action(run(async () => (await import('./watch.ts')).watchCommand));
  declare(task, 'output', 'Print what a run has written.', `ralph task output ${ONE} -f`)
    .addOption(projectOption())
    .option('--task <id>', 'the task (default: the one this folder, or this run, is of)')
    .option('--run <id>', 'the run (default: the newest)')
    .option('--run-dir <dir>', "the run's folder, instead of project, task and run")
    .addOption(rootOption())
    .option('--file <which>', 'output, stdout, stderr or prompt', 'output')
    .option('-f, --follow', 'go on until the run has ended')
    .option('--tail <n>', 'the last lines only; 0 for all', count, 0)
    .action(run(async () => (await import('./output.ts')).outputCommand));
  declare(task, 'delete', 'Delete a task and all its runs.', `ralph task delete ${ONE}`)
    .option('--project <id>', 'the project')
    .option('--task <id>', 'the task')
    .addOption(rootOption())
    .option('--force', 'stop it first, if it runs')
    .action(run(async () => (await import('./stop.ts')).deleteCommand));
  const gc = 'Delete runs that ended long ago, and old loops of every kind from the state directory.';
  declare(task, 'gc', gc, GC_HELP)
    .option('--project <id>', 'only of this project')
    .addOption(rootOption())
    .addOption(durationOption('--older-than', 'how long ago a run must have begun', 168 * HOUR))
    .option('--dry-run', 'say what would be deleted; delete nothing')
    .option('--keep-failed', 'keep runs with non-zero exit codes')
    .option('--rotate-bus', 'put message buses aside that are larger than --bus-max-size')
    .option('--bus-max-size <size>', 'a size such as 10MB, 100KB or 1GB', '10MB')
    .option('--delete-done-tasks', 'delete tasks, too, that are done, as old, and have no runs left')
    .action(run(async () => (await import('./gc.ts')).gcCommand));
}

function addSurvey(command: Command): Command {
  return command
    .addOption(projectOption())
    .addOption(rootOption())
    .option('--json', 'for programs')
    .option('--activity', 'also show the last message and output, and whether a running task drifts')
    .addOption(durationOption('--drift-after', 'a task drifts that says nothing of weight for so long', 20 * MINUTE));
}
