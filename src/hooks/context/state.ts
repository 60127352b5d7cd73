/**
 * What the context monitor remembers of a session: `/tmp/claude-context-alerts-<session>` holds the size at which the
 * next alert is due and the transcript's path, two lines that the `sh` in front reads; beside it one empty file for each
 * threshold that has fired. Making such a file is the right to speak: two copies of the plugin, called at once for the
 * same tool, agree by it that one of them does.
 */
import { claim, removeOwn, sessionFile, writeOwn } from '../io/session-file.ts';
import { THRESHOLDS, type Threshold } from './alerts.ts';

const KIND = 'claude-context-alerts';

export interface AlertState {
  readonly path: string;
}

export function alertState(session: unknown): AlertState | null {
  const path = sessionFile(KIND, session);
  return path === null ? null : { path };
}

/** The thresholds of the next session are armed again; other sessions' are left alone. */
export function forgetAlerts({ path }: AlertState): void {
  for (const file of [path, ...THRESHOLDS.map((threshold) => firedFile(path, threshold))]) removeOwn(file);
}

/**
 * The highest of the crossed thresholds, if nobody has spoken of it: then the lower ones count as fired too, because
 * after a jump they say nothing new.
 */
export function fire({ path }: AlertState, crossed: readonly Threshold[]): Threshold | null {
  const [highest, ...lower] = crossed;
  if (highest === undefined || !claim(firedFile(path, highest))) return null;
  for (const threshold of lower) claim(firedFile(path, threshold));
  return highest;
}

/** A path with a line break cannot be said to `sh`: then node is asked at every call. */
export function remember({ path }: AlertState, transcript: string, next: number | null): void {
  if (!/[\n\r\0]/.test(transcript)) writeOwn(path, `${next ?? 'never'}\n${transcript}\n`);
}

function firedFile(path: string, threshold: Threshold): string {
  return `${path}.${threshold}`;
}
