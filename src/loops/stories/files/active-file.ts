/** `.ralph-active` on disk: ours while we turn the loop; while another process does, a start is refused. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { RalphError } from '../../../core/error.ts';
import { identify, type MachineIdentity, ownIdentity, thisMachine } from '../../../process/identity/identity.ts';
import { readPlain } from '../../../state/plain-file.ts';
import { isLeftBehind, MARKER_NAME, type ReadMarker, readMarker } from '../list/active-marker.ts';
import type { WorkTree } from './work-tree.ts';

/** Whatever lies there: no other loop turns here meanwhile, and one that an agent rewrote would hold up later sessions. */
export async function removeMarker({ cwd, write }: Pick<WorkTree, 'cwd' | 'write'>): Promise<void> {
  if (lstatSync(join(cwd, MARKER_NAME), { throwIfNoEntry: false }) !== undefined)
    await write(join(cwd, MARKER_NAME), null);
}

export function takeOverMarker(cwd: string, machine: MachineIdentity, tell: (line: string) => void): void {
  const marker = markerIn(cwd);
  if (marker === null) return;
  const { pid } = marker;
  if (pid !== null && pid !== ownIdentity(machine).pid && lives(marker, machine)) throw markedElsewhere(cwd, marker);
  tell(`${MARKER_NAME} was left by process ${pid ?? 'unknown'}, which is gone; taking it over`);
}

/** An agent can write the file: what it says is never advice to end a process. */
export function markedElsewhere(cwd: string, { pid, process: owner }: ReadMarker): RalphError {
  const what =
    owner === null ? `${MARKER_NAME} says that a loop runs in ${cwd}` : `a loop already runs in ${cwd} (pid ${pid})`;
  return new RalphError('LOCKED', what, {
    hint: `Wait for its end, or stop it where it was started. If no loop runs there, remove ${MARKER_NAME}.`,
  });
}

export function livingMarker(cwd: string): ReadMarker | null {
  const marker = markerIn(cwd);
  return marker !== null && lives(marker, thisMachine()) ? marker : null;
}

export function markerIn(cwd: string): ReadMarker | null {
  const text = readPlain(join(cwd, MARKER_NAME));
  return text === null ? null : readMarker(text);
}

/** A pid of another pid namespace cannot be looked up: it may live. The harness itself is never in the agent's sandbox. */
function lives(marker: ReadMarker, machine: MachineIdentity): boolean {
  const { pid, process: owner } = marker;
  if (pid === null) return false;
  // A shell that wrote no more than its pid.
  if (owner === null) return identify(pid, machine) !== null;
  return !isLeftBehind({ ...marker, isSandboxed: false }, machine);
}
