/**
 * How the loop of a session is stored: its folder among all loops, and a small pointer file named after the session,
 * which exists as long as the loop can continue. The shell script in front of the hooks starts node only if that file
 * exists.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Action } from '../../core/action.ts';
import { defined } from '../../core/defined.ts';
import { RalphError } from '../../core/error.ts';
import type { Result } from '../../core/record.ts';
import { isOver } from '../../core/state.ts';
import type { Mask } from '../../core/text/mask.ts';
import { commandFor, heardBeforeWork, heardIn, type Pending, pendingControl } from '../../engine/control.ts';
import { beginUnder, type OpenLoop, publishStatus, readLoop, turnOpen } from '../../engine/loop.ts';
import { ifThere, makeFolders, readPlain, readPlainText, writeFile } from '../../process/files.ts';
import { makePrivateFolder } from '../../state/folders.ts';
import { commitIn } from '../../state/git-place.ts';
import type { Lock } from '../../state/lock.ts';
import { removeUnbegun } from '../../state/new-loop.ts';
import { journalPath, loopFolder, loopsFolder, type StateRoot } from '../../state/paths.ts';
import type { TextLimits } from './messages.ts';
import { iterationOf, type SessionData, type SessionStart, type State, sessionMachine } from './rules.ts';

export type SessionLoop = OpenLoop<SessionData>;

export interface SessionPlace {
  readonly root: StateRoot;
  readonly session: string;
}

/** Null if `session` is not a valid session id. */
export function sessionPlace(root: StateRoot, session: unknown): SessionPlace | null {
  return typeof session === 'string' && /^[\w-]{1,100}$/.test(session) ? { root, session } : null;
}

export function activeLoop(place: SessionPlace): string | null {
  const id = ifThere(() => readPlainText(pointerPath(place)).trim());
  if (id === null) return null;
  // The pointer must name one of this session's own loops.
  if (numberIn(place, id) > 0) return loopFolder(place.root, id);
  throw new RalphError('POINTER', `${pointerPath(place)} is damaged: it names no loop of this session`);
}

/** The session's last loop, whether or not it can continue. */
export function lastLoop(place: SessionPlace): string | null {
  const all = loopsFolder(place.root);
  const [last] = (existsSync(all) ? readdirSync(all) : [])
    .filter((id) => numberIn(place, id) > 0 && existsSync(journalPath(loopFolder(place.root, id))))
    .sort((a, b) => numberIn(place, b) - numberIn(place, a));
  return last === undefined ? null : loopFolder(place.root, last);
}

const [OF_PLUGIN, OF_INSTALLED] = ['tools-run-plugin', 'tools-run-installed'];

/** How many tools have run since the loop began, by the tool hooks' count. Two copies of them count the same tools. */
export function toolsRunIn(folder: string): number {
  const marks = [OF_PLUGIN, OF_INSTALLED].map((name) => statSync(join(folder, name), { throwIfNoEntry: false }));
  return Math.max(...marks.map((mark) => mark?.size ?? 0));
}

/** Does what the script in front of the hooks does, for an agent without that script. */
export function noteToolRun(place: SessionPlace): void {
  const folder = activeLoop(place);
  if (folder !== null) writeFile(join(folder, OF_INSTALLED), '.', { flag: 'a', mode: 0o600 });
}

/** One lock for all sessions of the user: before a loop begins, it has no folder of its own to lock. */
export function beginLock({ root }: SessionPlace): string {
  return join(sessionsFolder(root), '.lock');
}

export function beginSessionLoop(
  lock: Lock,
  place: SessionPlace,
  start: SessionStart,
  { cwd, release, mask }: { readonly cwd: string; readonly release: string; readonly mask: Mask },
): { readonly folder: string; readonly state: State } {
  const id = nextId(place);
  // No pinned files: its checks are part of the request, so no file decides how its work is judged.
  const base = { commit: commitIn(cwd), pins: {} };
  const created = { id, loopKind: 'session', cwd, release, options: start, base };
  const loop = beginUnder(lock, sessionMachine, created, { root: place.root, mask });
  try {
    writeFile(join(loop.folder, TASK_FILE), start.request.task, { mode: 0o600 });
    const state = turnOpen(sessionMachine, loop, loop.state, null, performAtOnce(loop.folder));
    publishStatus(loop, state);
    makePrivateFolder(sessionsFolder(place.root));
    writeFile(pointerPath(place), `${id}\n`, { mode: 0o600 });
    return { folder: loop.folder, state };
  } catch (error) {
    removeUnbegun(loop.folder);
    throw error;
  } finally {
    loop.close();
  }
}

/** The actions that finish at once. `start` starts nothing: the session's agent gets its prompt from the hook. */
export function performAtOnce(folder: string): (action: Action) => Result | null {
  return (action) => {
    switch (action.do) {
      case 'read-inputs':
        return { kind: 'inputs', digest: 'given at the start', ...heardBeforeWork(folder, action.consumed) };
      case 'start':
        return { kind: 'started', handle: { runner: 'session', name: '' } };
      case 'wait':
        return waitAtOnce(action, pendingControl(folder, action.consumed));
      default:
        return null;
    }
  };
}

/** Null if the loop stays paused. */
function waitAtOnce({ until }: Extract<Action, { do: 'wait' }>, pending: Pending | null): Result | null {
  const isPaused = until === 'command';
  const command = pending === null ? undefined : commandFor(pending, isPaused);
  if (isPaused && command === undefined) return null;
  return { kind: 'waited', ...(pending === null ? {} : heardIn(pending)), ...defined({ command }) };
}

/** A person continues a paused loop; messages that were sent to it in the meantime are delivered, too. */
export function wakenedBy(folder: string, { consumed }: State): Result {
  const pending = pendingControl(folder, consumed);
  return { kind: 'waited', ...(pending === null ? {} : heardIn(pending)), command: 'resume' };
}

export function readSessionLoop(folder: string): State {
  return readLoop(sessionMachine, folder);
}

/** Syncs the records to disk before the hook answers. Removes the pointer once the loop is over. */
export function persistTurn(place: SessionPlace, loop: SessionLoop, state: State): void {
  loop.journal.syncNow();
  publishStatus(loop, state);
  if (isOver(state)) forgetActive(place);
}

export function forgetActive(place: SessionPlace): void {
  rmSync(pointerPath(place), { force: true });
}

/** The loops that continue at the next turn of their session. */
export function loopsOfSessions(root: StateRoot): Set<string> {
  const names = ifThere(() => readdirSync(sessionsFolder(root))) ?? [];
  return new Set(names.flatMap((name) => readPlain(join(sessionsFolder(root), name))?.trim() ?? []));
}

function sessionsFolder(root: StateRoot): string {
  return join(root.path, 'sessions');
}

function pointerPath({ root, session }: SessionPlace): string {
  return join(sessionsFolder(root), session);
}

function nextId(place: SessionPlace): string {
  const base = `session-${place.session}`;
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}.${number}`;
    if (!existsSync(loopFolder(place.root, id))) return id;
  }
}

/** The number of this loop in its session, from 1; 0 if it belongs to another session. */
function numberIn({ session }: SessionPlace, id: string): number {
  const [found, number = 1] = new RegExp(String.raw`^session-${session}(?:\.(\d{1,6}))?$`).exec(id) ?? [];
  return found === undefined ? 0 : Number(number);
}

const TASK_FILE = 'task.txt';

/** A task too long for a message is put into `readable`, where the agent can read it, or into the loop's folder. */
export function tellingIn(
  readable: string | null,
  { longestText, unit }: Omit<TextLimits, 'taskFile'>,
  folder: string,
  task: string,
): TextLimits {
  const limits = { longestText, unit, taskFile: join(folder, TASK_FILE) };
  if (readable === null) return limits;
  const copy = join(readable, `${basename(folder)}-task.txt`);
  try {
    makeFolders(readable, 0o700);
    if (!existsSync(copy)) writeFile(copy, task, { mode: 0o600 });
    return { ...limits, taskFile: copy };
  } catch {
    // Use the file in the loop's folder; to read it, the agent may have to ask a person for permission.
    return limits;
  }
}

export function logPath(folder: string): string {
  return join(folder, 'loop.log');
}

export function note(folder: string, state: State, what: string): void {
  const line = `${new Date(state.at).toISOString()} iteration ${iterationOf(state)}: ${what}\n`;
  writeFile(logPath(folder), line, { flag: 'a', mode: 0o600 });
}

export function lastLogLines(folder: string): string[] {
  try {
    return readFileSync(logPath(folder), 'utf8').trimEnd().split('\n').slice(-5);
  } catch {
    // A loop that has only just begun has no log yet.
    return [];
  }
}
