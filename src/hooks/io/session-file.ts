/**
 * Small files of one session, in /tmp or in the folder that Claude Code uses for temporary files. All users share the
 * folder, so only our own files are read, links are never followed, and an invalid session id creates no file.
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

/** A sandbox sets it to a writable folder. */
const FOLDER = process.env.CLAUDE_CODE_TMPDIR || '/tmp';

/** Null if this is not a valid session id. */
export function sessionFile(kind: string, session: unknown): string | null {
  return typeof session === 'string' && /^[\w-]{1,100}$/.test(session) ? `${FOLDER}/${kind}-${session}` : null;
}

/** Null if there is no file of ours. */
export function readOwn(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // Missing, not readable, or a link: all the same to us.
    return null;
  }
  try {
    const { uid } = fstatSync(file);
    return uid === process.getuid?.() ? readFileSync(file, 'utf8') : null;
  } finally {
    closeSync(file);
  }
}

/** A hook that cannot write still works: it is only called more often, or counts from 1 again. */
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

/** True for only one caller, however many try at once. */
export function claim(path: string): boolean {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    // Another process created it; or no file can be created here, and then no alert is better than one at every call.
    return false;
  }
}

export function removeOwn(path: string): void {
  try {
    // Not `rmSync`: it is loaded separately, which would cost every hook a millisecond.
    unlinkSync(path);
  } catch {
    // Missing; or another user's file with our name, which cannot be removed, but is not read either.
  }
}

/** Counts how many times in a row the Stop hook of a stories loop has blocked a session. */
export const STOP_BLOCKS = 'ralph-stop-blocks';

export function forgetBlocks(session: unknown): void {
  const path = sessionFile(STOP_BLOCKS, session);
  if (path !== null) removeOwn(path);
}
