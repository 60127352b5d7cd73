/** The tasks that a task depends on (`depends_on` in its TASK-CONFIG.yaml), and which of them are not done yet. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, isMap, parseDocument } from 'yaml';
import { handled, RalphError } from '../../../core/error.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import { type Fields, isStrings } from '../../../core/text/json.ts';
import { nearest } from '../../../core/text/nearest.ts';
import { checkTaskId, isTaskId } from '../../../core/text/task-ids.ts';
import { plainTextIfThere } from '../../../process/files.ts';
import { removeEntry } from '../../../state/held-folder.ts';
import { writeProjection } from '../../../state/projection.ts';
import { isRunActive } from '../runs/liveness.ts';
import { surveyRuns } from '../runs/run-info.ts';
import { foldersIn, projectFolder, type TaskPlace, taskFile } from './task-folder.ts';

/** The dependencies that were given, or else those in TASK-CONFIG.yaml; refuses cycles and missing tasks. */
export function dependenciesOf({ root, project, task, folder }: TaskPlace, given?: readonly string[]): string[] {
  const dependsOn = given === undefined ? readDependencies(folder) : normaliseDependencies(task, given);
  checkNoCycle(root, project, task, dependsOn);
  checkAreThere(root, project, dependsOn);
  return dependsOn;
}

/** From flags or a file: each text can hold several ids, separated by commas. Keeps their order, without duplicates. */
export function normaliseDependencies(task: string, given: readonly string[]): string[] {
  const names = given.flatMap((text) => text.split(',')).map((name) => name.trim());
  const dependencies = [...new Set(names.filter((name) => name !== ''))];
  for (const name of dependencies) {
    if (/[/\\]/.test(name))
      throw refused(`dependency task id ${JSON.stringify(name)} must not contain path separators`);
    checkTaskId(name);
    if (name === task) throw refused(`task ${JSON.stringify(task)} cannot depend on itself`);
  }
  return dependencies;
}

/** Empty if there is no file; an invalid one is an error that names its path. */
export function readDependencies(folder: string): string[] {
  const path = taskFile.config(folder);
  const document = readConfig(path);
  if (document === null) return [];
  const given = settingsOf(document).depends_on ?? [];
  const texts = typeof given === 'string' ? [given] : given;
  if (!isStrings(texts)) return unreadable(path, 'depends_on is not a list of task ids');
  const normalise = (): string[] => normaliseDependencies('', texts);
  return handled(normalise, (error) => unreadable(path, reasonOf(error)));
}

/** Keeps everything else in the file, and removes a file that would be empty. */
export function writeDependencies(folder: string, dependsOn: readonly string[]): void {
  const path = taskFile.config(folder);
  const document = readConfig(path) ?? parseDocument('{}');
  const others = Object.keys(settingsOf(document)).filter((key) => key !== 'depends_on');
  if (dependsOn.length === 0 && others.length === 0) {
    removeEntry(path);
    return;
  }
  if (dependsOn.length === 0) document.delete('depends_on');
  else if (others.length === 0) document.contents = document.createNode({ depends_on: dependsOn });
  else document.set('depends_on', document.createNode(dependsOn));
  writeProjection(path, document.toString());
}

/** Refuses dependencies that would make a task wait for itself, or for tasks that wait for each other. */
export function checkNoCycle(root: string, project: string, task: string, dependsOn: readonly string[]): void {
  const folder = projectFolder(root, project);
  const harmless = new Set<string>();
  const visit = (name: string, way: readonly string[]): void => {
    const met = way.indexOf(name);
    if (met >= 0) throw refused(`dependency cycle detected: ${cycleOf(way.slice(met)).join(' -> ')}`);
    if (harmless.has(name)) return;
    // Another task's unreadable file must not keep this one from starting; the lists of tasks report it.
    const read = (): readonly string[] => (name === task ? dependsOn : readDependencies(join(folder, name)));
    const dependencies = handled(read, () => []);
    for (const dependency of dependencies) visit(dependency, [...way, name]);
    harmless.add(name);
  };
  visit(task, []);
}

/** Rotates the cycle so that the first task by name begins it, and repeats that task at the end. */
function cycleOf(tasks: readonly string[]): string[] {
  const first = tasks.indexOf([...tasks].sort()[0] ?? '');
  return [...tasks.slice(first), ...tasks.slice(0, first + 1)];
}

/** Refuses to wait for a task that does not exist: its id is probably mistyped, and it would never be done. */
function checkAreThere(root: string, project: string, dependsOn: readonly string[]): void {
  const folder = projectFolder(root, project);
  const missing = dependsOn.find((task) => !existsSync(join(folder, task)));
  if (missing === undefined) return;
  const close = nearest(missing, foldersIn(folder).filter(isTaskId));
  const config = 'It must exist before others can wait for it; kept dependencies are in TASK-CONFIG.yaml.';
  throw new RalphError('DEPENDENCY', `there is no task ${missing} in project ${project} to depend on`, {
    hint: close === null ? config : `Did you mean ${close}?`,
  });
}

/** The dependencies that are not done. A task with a DONE file still blocks while one of its runs is active. */
export function blockedBy(root: string, project: string, dependsOn: readonly string[]): string[] {
  const folder = projectFolder(root, project);
  return dependsOn.filter((task) => !isFinished(join(folder, task)));
}

/** Only DONE finishes a task. If exit code 0 did, every task would look finished between two restarts. */
function isFinished(folder: string): boolean {
  const look = (): boolean =>
    statSync(taskFile.done(folder), { throwIfNoEntry: false })?.isFile() === true &&
    !surveyRuns(folder).some(({ info }) => info !== null && isRunActive(info));
  // A task that cannot be read counts as not done; the lists of tasks say why.
  return handled(look, () => false);
}

function readConfig(path: string): Document | null {
  const read = (): string | null => plainTextIfThere(path);
  const text = handled(read, (error) => unreadable(path, reasonOf(error)));
  if (text === null) return null;
  const document = parseDocument(text);
  const [fault] = document.errors;
  return fault === undefined ? document : unreadable(path, fault.message.split('\n')[0] ?? '');
}

function settingsOf(document: Document): Fields {
  // The values are not validated here.
  return isMap(document.contents) ? (document.toJS() as Fields) : {};
}

function refused(fact: string): RalphError {
  return new RalphError('DEPENDENCY', fact);
}

function unreadable(path: string, why: string): never {
  const hint = 'It holds a list of task ids under depends_on, or nothing.';
  throw new RalphError('TASK_CONFIG', `cannot read ${path}: ${why}`, { hint });
}
