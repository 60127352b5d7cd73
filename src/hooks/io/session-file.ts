/**
 * Small files of one session, in /tmp or where Claude Code was told to keep its own. All users share the folder: only our
 * own files are read, a link is never followed, and a name that a session cannot have makes no file.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';

/** A sandbox sets it to a folder that can be written there. */
const FOLDER = process.env.CLAUDE_CODE_TMPDIR || '/tmp';

/** Null for what is no session's name. */
export function sessionFile(kind: string, session: unknown): string | null {
  return typeof session === 'string' && /^[\w-]{1,100}$/.test(session) ? `${FOLDER}/${kind}-${session}` : null;
}

/** Null when there is none that is ours. */
export function readOwn(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // Not there, not ours to read, or a link: for us the same.
    return null;
  }
  try {
    const { uid } = fstatSync(file);
    return uid === process.getuid?.() ? readFileSync(file, 'utf8') : null;
  } finally {
    closeSync(file);
  }
}

/** A hook that cannot remember still does its work: it is only called more often, or counts from 1. */
export function writeOwn(path: string, text: string): void {
  const fresh = `${path}.${process.pid}.tmp`;
  removeOwn(fresh);
  try {
    writeFileSync(fresh, text, { flag: 'wx', mode: 0o600 });
    renameSync(fresh, path);
  } catch {
    removeOwn(fresh);
  }
}

/** True for the one caller that made it, however many try at once. */
export function claim(path: string): boolean {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    // Another process made it; or no file can be made here, and then silence is better than an alert at every call.
    return false;
  }
}

export function removeOwn(path: string): void {
  try {
    // What removes folders, too, is loaded apart, and would cost each of us a millisecond.
    unlinkSync(path);
  } catch {
    // Not there; or another user's file under our name, which cannot be removed, and is not read either.
  }
}

/** How many times in a row the Stop hook of a stories loop has held a session. */
export const STOP_BLOCKS = 'ralph-stop-blocks';

export function forgetBlocks(session: unknown): void {
  const path = sessionFile(STOP_BLOCKS, session);
  if (path !== null) removeOwn(path);
}
