/**
 * The alerts that an agent gets as its context fills, estimated from the size of the transcript alone, and the files
 * that remember them. `/tmp/claude-context-alerts-<session>` has two lines, which the shell script that starts this
 * hook reads: the size at which the next alert is due, and the path of the transcript. Next to it is one empty file for
 * each threshold that has fired. Creating such a file decides who alerts: if two copies of the plugin are called for
 * the same tool, only one succeeds.
 */
import { claim, removeOwn, sessionFile, writeOwn } from './session-file.ts';

const THRESHOLDS = [50, 60, 70, 80, 90] as const;
type Threshold = (typeof THRESHOLDS)[number];

const NOTICE =
  'Be mindful of remaining space. Plan to finish your current task within this session. If you discover follow-up work, add new stories to tasks.json — the next iteration will pick them up.';
const WARNING =
  'Finish your current task and commit soon. Do not start additional tasks. If work remains, create new stories in tasks.json for the next iteration and capture any implementation details or insights in progress.txt so the next iteration has full context.';
const CRITICAL =
  'Wrap up immediately. Do NOT start new work. Instead: (1) create tasks in tasks.json for any remaining work, (2) write implementation details, insights, and handoff notes to progress.txt, (3) commit all changes, (4) stop. The next iteration will continue from where you left off.';

const SAID_AT: Readonly<Record<Threshold, readonly [severity: string, advice: string]>> = {
  50: ['NOTICE', NOTICE],
  60: ['NOTICE', NOTICE],
  70: ['WARNING', WARNING],
  80: ['WARNING', WARNING],
  90: ['CRITICAL', CRITICAL],
};

/** A higher value makes the alerts come later. */
const CHARACTERS_PER_TOKEN = 4;
const USUAL_WINDOW = 200_000;

/** `setting` is CLAUDE_CONTEXT_WINDOW, in tokens. */
export function windowFrom(setting: string | undefined): number {
  const tokens = Number(setting);
  return Number.isFinite(tokens) && tokens > 0 ? tokens : USUAL_WINDOW;
}

/** The thresholds that a transcript of this size has crossed, the highest first. */
export function crossedBy(bytes: number, window: number): Threshold[] {
  return THRESHOLDS.filter((threshold) => bytes >= bytesOf(threshold, window)).toReversed();
}

/** The size at which the next alert is due; null after the last one. */
export function nextAt(bytes: number, window: number): number | null {
  const next = THRESHOLDS.find((threshold) => bytes < bytesOf(threshold, window));
  return next === undefined ? null : bytesOf(next, window);
}

export function alertOf(threshold: Threshold, bytes: number, window: number): string {
  const percent = Math.min(100, Math.floor((bytes / CHARACTERS_PER_TOKEN / window) * 100));
  const [severity, advice] = SAID_AT[threshold];
  return `${severity}: Context window is at ~${percent}% usage (crossed ${threshold}% threshold). ${advice}`;
}

function bytesOf(threshold: Threshold, window: number): number {
  return Math.ceil((threshold * window * CHARACTERS_PER_TOKEN) / 100);
}

/** Null if this is not a valid session id. */
export function alertFile(session: unknown): string | null {
  return sessionFile('claude-context-alerts', session);
}

/** Resets the thresholds for a new session; other sessions are not affected. */
export function forgetAlerts(file: string): void {
  for (const path of [file, ...THRESHOLDS.map((threshold) => firedFile(file, threshold))]) removeOwn(path);
}

/** Returns the highest threshold, unless it has fired before. Lower ones count as fired: they would say nothing new. */
export function fire(file: string, crossed: readonly Threshold[]): Threshold | null {
  const [highest, ...lower] = crossed;
  if (highest === undefined || !claim(firedFile(file, highest))) return null;
  for (const threshold of lower) claim(firedFile(file, threshold));
  return highest;
}

/** The shell script cannot read a path with a line break; without this file it starts node on every call. */
export function remember(file: string, transcript: string, next: number | null): void {
  if (!/[\n\r\0]/.test(transcript)) writeOwn(file, `${next ?? 'never'}\n${transcript}\n`);
}

function firedFile(file: string, threshold: Threshold): string {
  return `${file}.${threshold}`;
}
