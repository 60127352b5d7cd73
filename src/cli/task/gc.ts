/** `ralph task gc`: clears away what is old. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { checkProjectId } from '../../core/text/task-ids.ts';
import type { Duration } from '../../core/time.ts';
import { collectLoops } from '../../engine/collect-loops.ts';
import { loopsOfWorkers } from '../../loops/swarm/ralph/pointer.ts';
import { collectGarbage, megabytes, NOTHING_COLLECTED } from '../../loops/tasks/folder/collect-garbage.ts';
import { projectFolder, tasksRoot } from '../../loops/tasks/folder/task-folder.ts';
import { isLooping } from '../../loops/tasks/runs/liveness.ts';
import { realPathOr } from '../../process/files.ts';
import { thisMachine } from '../../process/identity/identity.ts';
import { loopsFolder } from '../../state/paths.ts';
import { clockSecond } from '../terminal/words.ts';
import type { Terminal } from './terminal.ts';

interface GcFlags {
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
  const { environment, cwd } = terminal;
  const root = tasksRoot(environment.variables, flags.root, cwd);
  // Not from where we are: without a project, all of them are meant.
  const project = flags.project ? checkProjectId(flags.project) : null;
  const common = {
    before: Date.now() - flags.olderThan,
    isDryRun,
    keepFailed: flags.keepFailed === true,
    say: terminal.show,
    warn: terminal.warn,
  };
  // Without tasks there may still be loops.
  const hasTasks = existsSync(root) || flags.root !== undefined || project !== null;
  const rules = {
    ...common,
    root,
    project,
    clock: clockSecond,
    deleteDoneTasks: flags.deleteDoneTasks === true,
    rotateAbove: flags.rotateBus === true ? aboveBytes : null,
    isLooping: (folder: string) => isLooping(folder, environment.root),
  };
  const { runs, bytes, tasks, buses } = hasTasks ? await collectGarbage(rules) : NOTHING_COLLECTED;
  const workers = loopsOfWorkers(environment.swarmHome);
  const loops = await collectLoops({
    ...common,
    root: environment.root,
    place: thisMachine(),
    isPointedAt: ({ id }) => workers.has(id),
    ...(project === null ? {} : { isMeant: ({ cwd: folder }) => isOfProject(folder, projectFolder(root, project)) }),
  });
  const done = isDryRun ? 'Would delete' : 'Deleted';
  await terminal.show(`${done} ${runs} runs, freed ${megabytes(bytes)} MB`);
  if (tasks > 0) await terminal.show(`${done} ${tasks} task directories (DONE + empty runs)`);
  if (loops.loops > 0) {
    const many = `${loops.loops} ${loops.loops === 1 ? 'loop' : 'loops'}`;
    await terminal.show(`${done} ${many} in ${loopsFolder(environment.root)}, freed ${megabytes(loops.bytes)} MB`);
  }
  if (buses > 0) await terminal.show(`${isDryRun ? 'Would rotate' : 'Rotated'} ${buses} message bus file(s)`);
  return 0;
}

/** The loops of its tasks: each lies where its task does. */
function isOfProject(taskFolder: string, project: string): boolean {
  return [project, realPathOr(project)].includes(dirname(taskFolder));
}

const UNITS: Readonly<Record<string, number>> = { '': 1, B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** `10MB`, `100KB`, `1GB`, or bytes. */
function parseSize(text: string): number {
  const [, number, unit = ''] = /^\s*(\d+)\s*([KMG]?B)?\s*$/i.exec(text) ?? [];
  const bytes = Number(number) * (UNITS[unit.toUpperCase()] ?? 1);
  if (number !== undefined && Number.isSafeInteger(bytes)) return bytes;
  throw new RalphError('USAGE', `invalid --bus-max-size ${JSON.stringify(text)}`, {
    hint: 'It is a size such as 10MB, 100KB or 1GB.',
  });
}
