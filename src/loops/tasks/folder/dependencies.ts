/** What a task waits for: `depends_on` in its TASK-CONFIG.yaml, and which of those tasks are not done yet. */
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

/** Those that are given are kept for later starts; without any, those that were kept hold. */
export function dependenciesOf({ root, project, task, folder }: TaskPlace, given?: readonly string[]): string[] {
  const dependsOn = given === undefined ? readDependencies(folder) : normaliseDependencies(task, given);
  checkNoCycle(root, project, task, dependsOn);
  checkAreThere(root, project, dependsOn);
  return dependsOn;
}

/** From flags or a file: each may hold several, separated by commas. In their order, each once. */
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

/** None where there is no file; what cannot be understood is an error that names its path. */
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

/** What else stands in the file stays; a file with nothing left in it goes. */
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

/** Refuses dependencies by which a task would, in the end, wait for itself, or for tasks that wait for each other. */
export function checkNoCycle(root: string, project: string, task: string, dependsOn: readonly string[]): void {
  const folder = projectFolder(root, project);
  const harmless = new Set<string>();
  const visit = (name: string, way: readonly string[]): void => {
    const met = way.indexOf(name);
    if (met >= 0) throw refused(`dependency cycle detected: ${cycleOf(way.slice(met)).join(' -> ')}`);
    if (harmless.has(name)) return;
    // Another task's unreadable file does not keep this one from starting; the lists of tasks tell of it.
    const read = (): readonly string[] => (name === task ? dependsOn : readDependencies(join(folder, name)));
    const dependencies = handled(read, () => []);
    for (const dependency of dependencies) visit(dependency, [...way, name]);
    harmless.add(name);
  };
  visit(task, []);
}

/** The first by name first, and again at the end. */
function cycleOf(tasks: readonly string[]): string[] {
  const first = tasks.indexOf([...tasks].sort()[0] ?? '');
  return [...tasks.slice(first), ...tasks.slice(0, first + 1)];
}

/** Refuses to wait for a task that does not exist: mistyped, as a rule, and never done. */
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

/** Those that are not done. One whose DONE is there still counts while something of it runs. */
export function blockedBy(root: string, project: string, dependsOn: readonly string[]): string[] {
  const folder = projectFolder(root, project);
  return dependsOn.filter((task) => !isFinished(join(folder, task)));
}

/** A run that ended with 0 does not finish its task: between two restarts every task would look finished. Only DONE does. */
function isFinished(folder: string): boolean {
  const look = (): boolean =>
    statSync(taskFile.done(folder), { throwIfNoEntry: false })?.isFile() === true &&
    !surveyRuns(folder).some(({ info }) => info !== null && isRunActive(info));
  // What cannot be read is not known to be done; the lists of tasks say why.
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
  // A map has keys, and that is all that is taken for granted here.
  return isMap(document.contents) ? (document.toJS() as Fields) : {};
}

function refused(fact: string): RalphError {
  return new RalphError('DEPENDENCY', fact);
}

function unreadable(path: string, why: string): never {
  const hint = 'It holds a list of task ids under depends_on, or nothing.';
  throw new RalphError('TASK_CONFIG', `cannot read ${path}: ${why}`, { hint });
}
