/** Declares `ralph task` and its commands. */
import type { Command } from 'commander';
import { declare } from '../program/declare.ts';
import { collect } from '../program/values.ts';
import { count, durationOption, projectOption, rootOption, run } from './arguments.ts';
import { addTaskLoops } from './loop-commands.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ONE = '--project shop --task task-20260220-153045-basket';
const GC_HELP = `
Loops are deleted by the same rule as in "ralph gc": when they ended long ago
and nothing needs them any more. Loops that run or can be resumed, and those of
swarm workers, are kept. With --project, only loops of its tasks are deleted.

Example:
  ralph task gc --older-than 720h --keep-failed --dry-run`;

export function addTaskCommands(task: Command): void {
  task.addHelpText('after', `\nExample:\n  ralph task list --project shop\n  ralph task output ${ONE} -f`);
  addTaskLoops(task);
  const only = 'only tasks that are running, active, done, failed, blocked, queued …';
  const list = 'List projects, the tasks of a project, or the runs of a task.';
  addSurvey(declare(task, 'list', list, 'ralph task list --project shop --status running'))
    .option('--task <id>', 'list the runs of this task')
    .option('--status <status>', only)
    .action(run(async () => (await import('./list.ts')).listCommand));
  const status = 'Show the state of each task of a project.';
  addSurvey(declare(task, 'status', status, 'ralph task status --project shop --concise'))
    .option('--task <id>', 'only this task')
    .option('--status <status>', 'only running, active, completed, failed, stopped, blocked, done or pending ones')
    .option('--concise', 'one line per task, separated by tabs: task_id status exit_code latest_run done pid_alive')
    .action(run(async () => (await import('./list.ts')).statusCommand));
  const watch = 'Watch tasks until they end; exit code 0 when all have ended, 1 when the time is up.';
  declare(task, 'watch', watch, `ralph task watch ${ONE}`)
    .addOption(projectOption())
    .option('--task <id>', 'a task to watch (repeatable)', collect, [])
    .addOption(rootOption())
    .addOption(durationOption('--timeout', 'how long to wait at most', 30 * MINUTE))
    .option('--json', 'print every update as one line of JSON')
    .action(run(async () => (await import('./watch.ts')).watchCommand));
  declare(task, 'output', 'Print the output of a run.', `ralph task output ${ONE} -f`)
    .addOption(projectOption())
    .option('--task <id>', 'the task (default: that of this folder or this run)')
    .option('--run <id>', 'the run (default: the newest)')
    .option('--run-dir <dir>', 'folder of the run, instead of project, task and run')
    .addOption(rootOption())
    .option('--file <which>', 'output, stdout, stderr or prompt', 'output')
    .option('-f, --follow', 'keep printing until the run ends')
    .option('--tail <n>', 'print only the last n lines; 0 for all', count, 0)
    .action(run(async () => (await import('./output.ts')).outputCommand));
  declare(task, 'delete', 'Delete a task and all its runs.', `ralph task delete ${ONE}`)
    .option('--project <id>', 'the project')
    .option('--task <id>', 'the task')
    .addOption(rootOption())
    .option('--force', 'stop it first if it is running')
    .action(run(async () => (await import('./stop.ts')).deleteCommand));
  const gc = 'Delete old runs of tasks, and old loops of every kind from the state directory.';
  declare(task, 'gc', gc, GC_HELP)
    .option('--project <id>', 'only tasks and loops of this project')
    .addOption(rootOption())
    .addOption(durationOption('--older-than', 'delete runs that started this long ago', 168 * HOUR))
    .option('--dry-run', 'list what would be deleted, and delete nothing')
    .option('--keep-failed', 'keep runs with non-zero exit codes')
    .option('--rotate-bus', 'rotate message buses that are larger than --bus-max-size')
    .option('--bus-max-size <size>', 'size such as 10MB, 100KB or 1GB', '10MB')
    .option('--delete-done-tasks', 'also delete done tasks that are as old and have no runs left')
    .action(run(async () => (await import('./gc.ts')).gcCommand));
}

function addSurvey(command: Command): Command {
  return command
    .addOption(projectOption())
    .addOption(rootOption())
    .option('--json', 'print JSON')
    .option('--activity', 'also show the last message and output, and whether a task drifts')
    .addOption(
      durationOption('--drift-after', 'a task drifts when it posts nothing important for this long', 20 * MINUTE),
    );
}
