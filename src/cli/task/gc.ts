/** `ralph task gc`: clears away what is old. */
import { RalphError } from '../../core/error.ts';
import { checkProjectId } from '../../core/task-ids.ts';
import type { Duration } from '../../core/time.ts';
import { collectGarbage, megabytes } from '../../doors/tasks/collect-garbage.ts';
import { isLooping } from '../../doors/tasks/loop-life.ts';
import { tasksRoot } from '../../doors/tasks/root.ts';
import type { Terminal } from './terminal.ts';

export interface GcFlags {
  readonly root?: string;
  readonly project?: string;
  /** In milliseconds. */
  readonly olderThan: Duration;
  readonly dryRun?: boolean;
  readonly keepFailed?: boolean;
  readonly rotateBus?: boolean;
  readonly busMaxSize: string;
  readonly deleteDoneTasks?: boolean;
}

export async function gcCommand(flags: GcFlags, terminal: Terminal): Promise<number> {
  const aboveBytes = parseSize(flags.busMaxSize);
  const isDryRun = flags.dryRun === true;
  // Not from where we are: whoever names no project means all of them.
  const { runs, bytes, tasks, buses } = await collectGarbage({
    root: tasksRoot(terminal.environment.variables, flags.root, terminal.cwd),
    project: flags.project ? checkProjectId(flags.project) : null,
    before: Date.now() - flags.olderThan,
    isDryRun,
    keepFailed: flags.keepFailed === true,
    deleteDoneTasks: flags.deleteDoneTasks === true,
    rotateAbove: flags.rotateBus === true ? aboveBytes : null,
    isLooping: (folder) => isLooping(folder, terminal.environment.root),
    say: terminal.show,
    warn: terminal.warn,
  });
  const done = isDryRun ? 'Would delete' : 'Deleted';
  await terminal.show(`${done} ${runs} runs, freed ${megabytes(bytes)} MB`);
  if (tasks > 0) await terminal.show(`${done} ${tasks} task directories (DONE + empty runs)`);
  if (buses > 0) await terminal.show(`${isDryRun ? 'Would rotate' : 'Rotated'} ${buses} message bus file(s)`);
  return 0;
}

const UNITS: Readonly<Record<string, number>> = { '': 1, B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** `10MB`, `100KB`, `1GB`, or bytes. */
function parseSize(text: string): number {
  const [, number, unit = ''] = /^\s*(\d+)\s*([KMG]?B)?\s*$/i.exec(text) ?? [];
  const bytes = Number(number) * (UNITS[unit.toUpperCase()] ?? 1);
  if (number !== undefined && Number.isSafeInteger(bytes)) return bytes;
  throw new RalphError('USAGE', `invalid --bus-max-size ${JSON.stringify(text)}`, {
    hint: 'It is a size such as 10MB, 100KB or 1GB.',
    exitCode: 2,
  });
}
