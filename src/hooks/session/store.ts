/**
 * Where the loop of a session lies: its folder among all loops, and a small file named after the session that is there
 * as long as the loop can go on. The `sh` in front of the hooks looks for that file, and starts node only if it is there.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, RalphError } from '../../core/error.ts';
import { fold } from '../../core/machine.ts';
import type { Recorded } from '../../core/record.ts';
import { isOver, type LoopState } from '../../core/state.ts';
import type { Mask } from '../../core/text/mask.ts';
import type { Instant } from '../../core/time.ts';
import { turnAtOnce } from '../../core/turn.ts';
import { type SessionData, type SessionStart, sessionMachine } from '../../loops/session/rules.ts';
import { performAtOnce } from '../../loops/session/turn.ts';
import { appendFile, readPlainText, writeFile } from '../../process/files.ts';
import { makePrivateFolder } from '../../state/folders.ts';
import { type Journal, openJournal, readJournal } from '../../state/journal.ts';
import { makeLoop, removeUnbegun } from '../../state/new-loop.ts';
import { journalPath, loopFolder, loopsFolder, type StateRoot } from '../../state/paths.ts';
import { withRequest } from '../../state/request.ts';
import { statusOf, writeStatus } from '../../state/status.ts';

export interface SessionPlace {
  readonly root: StateRoot;
  readonly session: string;
}

/** Null for a name that is no session's. */
export function sessionPlace(root: StateRoot, session: unknown): SessionPlace | null {
  return typeof session === 'string' && /^[\w-]{1,100}$/.test(session) ? { root, session } : null;
}

/** The folder of the loop that this session is in, or null. */
export function activeLoop(place: SessionPlace): string | null {
  let id: string;
  try {
    id = readPlainText(pointerPath(place)).trim();
  } catch (error) {
    // No pointer: no loop that could go on.
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
  // The file says which of the session's loops it is, and nothing else.
  if (isLoopOf(place, id)) return loopFolder(place.root, id);
  throw new RalphError('POINTER', `${pointerPath(place)} is damaged: it names no loop of this session`, {
    exitCode: 2,
  });
}

/** The session's last loop, whether or not it can go on. */
export function lastLoop(place: SessionPlace): string | null {
  const id = loopIds(place).at(-1);
  return id === undefined ? null : loopFolder(place.root, id);
}

export function taskFile(folder: string): string {
  return join(folder, 'task.txt');
}

/** How many tools have run since the loop began, by the marks of the tools' own hooks; two copies of them count the same ones. */
export function toolsRunIn(folder: string): number {
  const marks = (['plugin', 'installed'] as const).map(
    (front) => statSync(toolMarks(folder, front), { throwIfNoEntry: false })?.size ?? 0,
  );
  return Math.max(...marks);
}

/** As the script in front of Claude Code's hooks does it, for a host that has none. */
export function noteToolRun(place: SessionPlace): void {
  const folder = activeLoop(place);
  if (folder !== null) appendFile(toolMarks(folder, 'installed'), '.', { mode: 0o600 });
}

function toolMarks(folder: string, front: 'plugin' | 'installed'): string {
  return join(folder, `tools-run-${front}`);
}

export function beginLoop(
  place: SessionPlace,
  start: SessionStart,
  about: { readonly cwd: string; readonly release: string; readonly now: Instant; readonly mask: Mask },
): { readonly folder: string; readonly state: LoopState<SessionData> } {
  const { cwd, release, now, mask } = about;
  const id = nextId(place);
  const created = { id, loopKind: 'session', cwd, release, options: start };
  const { folder, journal, first } = makeLoop(place.root, created, now, mask);
  try {
    writeFile(taskFile(folder), start.request.task, { mode: 0o600 });
    const state = turnAtOnce(sessionMachine, sessionMachine.begin(withRequest([first], folder)[0] ?? first), null, {
      perform: performAtOnce,
      append: journal.append,
      now,
    });
    writeStatus(folder, statusOf(state, now));
    makePrivateFolder(pointersFolder(place.root));
    writeFile(pointerPath(place), `${id}\n`, { mode: 0o600 });
    return { folder, state };
  } catch (error) {
    removeUnbegun(folder);
    throw error;
  } finally {
    journal.close();
  }
}

export interface OpenLoop {
  readonly journal: Journal;
  readonly records: readonly Recorded[];
  readonly state: LoopState<SessionData>;
}

export function openLoop(folder: string, mask: Mask): OpenLoop {
  const { journal, records } = openJournal(journalPath(folder), mask);
  try {
    return { journal, records, state: fold(sessionMachine, withRequest(records, folder)) };
  } catch (error) {
    journal.close();
    throw error;
  }
}

export function readLoop(folder: string): LoopState<SessionData> {
  return fold(sessionMachine, withRequest(readJournal(journalPath(folder)).records, folder));
}

/** After a turn: what others read of it, and the pointer goes when there is nothing to go on with. */
export function settle(place: SessionPlace, folder: string, state: LoopState<SessionData>, createdAt: Instant): void {
  writeStatus(folder, statusOf(state, createdAt));
  if (isOver(state)) forgetActive(place);
}

export function forgetActive(place: SessionPlace): void {
  rmSync(pointerPath(place), { force: true });
}

function pointersFolder(root: StateRoot): string {
  return join(root.path, 'sessions');
}

function pointerPath({ root, session }: SessionPlace): string {
  return join(pointersFolder(root), session);
}

function nextId(place: SessionPlace): string {
  const base = `session-${place.session}`;
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}.${number}`;
    if (!existsSync(loopFolder(place.root, id))) return id;
  }
}

function loopIds(place: SessionPlace): string[] {
  const folder = loopsFolder(place.root);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((id) => isLoopOf(place, id) && existsSync(journalPath(loopFolder(place.root, id))))
    .sort((a, b) => numberOf(a) - numberOf(b));
}

function isLoopOf({ session }: SessionPlace, id: string): boolean {
  const base = `session-${session}`;
  return id === base || (id.startsWith(`${base}.`) && /^\d{1,6}$/.test(id.slice(base.length + 1)));
}

function numberOf(id: string): number {
  const dot = id.lastIndexOf('.');
  return dot < 0 ? 1 : Number(id.slice(dot + 1));
}
