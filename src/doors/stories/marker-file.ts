/** `.ralph-active` on disk: ours while we turn the loop, somebody else's refused while they live. */
import { join } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { identify, isRunning, ownIdentity, type Place } from '../../process/identity.ts';
import { readPlain } from '../../state/plain-file.ts';
import {
  isLeftBehind,
  MARKER_NAME,
  type Marker,
  markerText,
  type PausedMarker,
  type ReadMarker,
  readMarker,
} from './rules-marker.ts';
import type { WorkTree } from './work-tree.ts';

export async function writeMarker(
  { cwd, write }: Pick<WorkTree, 'cwd' | 'write'>,
  place: Place,
  marker: Omit<Marker, 'pid' | 'process'> | Omit<PausedMarker, 'pid' | 'process'>,
): Promise<void> {
  const { pid, startTime, boot } = ownIdentity(place);
  const owner = { pid, process: { startTime, boot, pidNamespace: place.pidNamespace } };
  await write(join(cwd, MARKER_NAME), markerText({ ...marker, ...owner }));
}

/** Only ours is taken away. */
export async function removeMarker({ cwd, write }: Pick<WorkTree, 'cwd' | 'write'>, place: Place): Promise<void> {
  const marker = markerIn(cwd);
  if (marker?.pid === ownIdentity(place).pid && lives(marker, place)) await write(join(cwd, MARKER_NAME), null);
}

/** Refuses where another harness is at work; gives the pid of one that is gone and left its marker, or null. */
export function takeOver(cwd: string, place: Place): number | 'unknown' | null {
  const marker = markerIn(cwd);
  if (marker === null) return null;
  if (marker.pid !== null && marker.pid !== ownIdentity(place).pid && lives(marker, place)) {
    throw new RalphError('LOCKED', `a loop already runs in ${cwd} (pid ${marker.pid})`, {
      hint: `Stop it first: kill ${marker.pid}. If that is no ralph, remove ${MARKER_NAME}.`,
      exitCode: 2,
    });
  }
  return marker.pid ?? 'unknown';
}

/** The process that says it turns a loop here, if it still lives. */
export function markerPid(cwd: string, place: Place): number | null {
  const marker = markerIn(cwd);
  return marker !== null && lives(marker, place) ? marker.pid : null;
}

export function markerIn(cwd: string): ReadMarker | null {
  const text = readPlain(join(cwd, MARKER_NAME));
  return text === null ? null : readMarker(text);
}

/** A pid of another pid namespace cannot be looked up: it may live. The harness itself is never in the agent's sandbox. */
function lives(marker: ReadMarker, place: Place): boolean {
  const { pid, process: owner } = marker;
  if (pid === null) return false;
  // A shell that wrote no more than its pid.
  if (owner === null) return identify(pid, place) !== null;
  return !isLeftBehind({ ...marker, isSandboxed: false }, place, (one) => isRunning(one, place));
}
