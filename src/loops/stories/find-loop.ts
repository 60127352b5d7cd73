/** Finds the stories loops of a project, by their records and by `.ralph-active`; the newest one counts. */
import { lstatSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { errnoOf, RalphError } from '../../core/error.ts';
import { fold } from '../../core/machine/machine.ts';
import type { Recorded } from '../../core/record.ts';
import type { LoopState } from '../../core/state.ts';
import type { Duration } from '../../core/time.ts';
import { endUnfinished } from '../../engine/left-behind/orphans.ts';
import { readPlain } from '../../process/files.ts';
import { identify, ownIdentity } from '../../process/identity/identity.ts';
import { readJournal } from '../../state/journal.ts';
import { journalPath, loopFolder, type StateRoot } from '../../state/paths.ts';
import { type ListedLoop, loopsIn } from '../../state/registry.ts';
import type { WorkTree } from './files/work-tree.ts';
import { isLeftBehind, MARKER_NAME, type ReadMarker, readMarker } from './list/active-file.ts';
import type { StoriesRequest } from './request.ts';
import { storiesMachine } from './rules.ts';
import type { StoriesData } from './state.ts';

/** How long a program has between SIGTERM and SIGKILL. */
export const GRACE_MS: Duration = 5000;

export function newestStories(root: StateRoot, cwd: string, except: string | null = null): ListedLoop | null {
  return loopsIn(root, 'stories', cwd).findLast(({ id }) => id !== except) ?? null;
}

export type KnownLoop = NonNullable<ReturnType<typeof knownLoop>>;

export function knownLoop(root: StateRoot, cwd: string) {
  const status = newestStories(root, cwd);
  if (status === null) return null;
  const folder = loopFolder(root, status.id);
  const records = recordsIn(folder);
  const [created, last] = [records[0]?.result, records.at(-1)?.result];
  return {
    status,
    folder,
    /** What it was started with, as `runStories` recorded it. */
    request: created?.kind === 'created' ? (created.options as StoriesRequest) : null,
    isPaused: last?.kind === 'waited' && last.command === 'pause',
    /** The state after its last record; null if the records cannot be read. */
    state: folded(records),
  };
}

export function dataIn(loop: string): StoriesData | null {
  return folded(recordsIn(loop))?.data ?? null;
}

/** Ends all unfinished stories loops of the project; refuses while one of them runs. */
export async function endLoops(cwd: string, home: Environment, reason: string): Promise<void> {
  const { root } = home;
  for (const loop of loopsIn(root, 'stories', cwd).filter(({ ending }) => ending === null)) {
    const folder = loopFolder(root, loop.id);
    const journal = journalPath(folder);
    // A loop without readable records cannot be continued. Renaming its journal removes it from the list of loops.
    if (dataIn(folder) === null) renameSync(journal, `${journal}.damaged-${Date.now()}`);
    else await endUnfinished(storiesMachine, loop, home, reason, GRACE_MS);
  }
}

function folded(records: readonly Recorded[]): LoopState<StoriesData> | null {
  try {
    return records.length === 0 ? null : fold(storiesMachine, records);
  } catch {
    // A newer release wrote them, or an agent: `resume` reports that, and `status` shows the rest.
    return null;
  }
}

/** Empty if an agent has removed or damaged them: `status` must still show the rest. */
function recordsIn(loop: string): readonly Recorded[] {
  try {
    return readJournal(journalPath(loop)).records;
  } catch (error) {
    const isDamaged = error instanceof RalphError && error.code === 'JOURNAL_DAMAGED';
    if (isDamaged || ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  }
}

/** Removes it whatever it contains: no other loop runs here, and one rewritten by an agent blocks later sessions. */
export async function removeMarker({ cwd, write }: WorkTree): Promise<void> {
  const path = join(cwd, MARKER_NAME);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) await write(path, null);
}

export function takeOverMarker(cwd: string, tell: (line: string) => void): void {
  const marker = markerIn(cwd);
  if (marker === null) return;
  const { pid } = marker;
  if (pid !== null && pid !== ownIdentity().pid && lives(marker)) throw markedElsewhere(cwd, marker);
  tell(`${MARKER_NAME} was left by process ${pid ?? 'unknown'}, which is gone; taking it over`);
}

/** An agent can write the file, so the message never advises to end the process that it names. */
export function markedElsewhere(cwd: string, { pid, process: owner }: ReadMarker): RalphError {
  const unsure = `${MARKER_NAME} says that a loop runs in ${cwd}`;
  const hint = `Wait until it ends, or stop it where it was started. If no loop runs there, remove ${MARKER_NAME}.`;
  return new RalphError('LOCKED', owner === null ? unsure : `a loop is already running in ${cwd} (pid ${pid})`, {
    hint,
  });
}

export function livingMarker(cwd: string): ReadMarker | null {
  const marker = markerIn(cwd);
  return marker !== null && lives(marker) ? marker : null;
}

export function markerIn(cwd: string): ReadMarker | null {
  const text = readPlain(join(cwd, MARKER_NAME));
  return text === null ? null : readMarker(text);
}

/** A pid of another pid namespace cannot be looked up, so it may be alive. The harness itself is never sandboxed. */
function lives(marker: ReadMarker): boolean {
  const { pid, process: owner } = marker;
  if (pid === null) return false;
  // Another program, such as a shell script, has written only its pid.
  if (owner === null) return identify(pid) !== null;
  return !isLeftBehind({ ...marker, isSandboxed: false });
}
