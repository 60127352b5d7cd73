/** Asks the supervisor of the run that we are in: for a child run, or to post what its sandbox does not let us. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Draft } from '../../../bus/message.ts';
import { RalphError } from '../../../core/error.ts';
import { writeFile } from '../../../process/files.ts';
import { watchFolder } from '../../../process/folder-watch.ts';
import { writeProjection } from '../../../state/projection.ts';
import { BELL, type DeskReply, type DeskWish, replyPath, requestPath } from './broker-files.ts';
import type { JobWish } from './job-spec.ts';

/** A desk that does not answer for so long has nobody behind it. */
const ANSWER_WITHIN_MS = 30_000;

/** The folder of the run that was started, and why it has no sandbox where it was to have the strongest. */
export async function askForJob(desk: string, wish: JobWish): Promise<{ runFolder: string; noSandbox?: string }> {
  const reply = await ask(desk, wish);
  return 'runFolder' in reply ? reply : { runFolder: '' };
}

/** The id of the message. */
export async function askToPost(desk: string, post: Draft): Promise<string> {
  const reply = await ask(desk, { post });
  return 'msgId' in reply ? reply.msgId : '';
}

async function ask(desk: string, wish: DeskWish): Promise<DeskReply> {
  if (!existsSync(desk)) throw nobody(desk);
  const id = randomUUID();
  const path = replyPath(desk, id);
  const watch = watchFolder(desk);
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(nobody(desk)), ANSWER_WITHIN_MS);
      const look = (): void => {
        if (!existsSync(path)) return;
        clearTimeout(timer);
        resolve();
      };
      watch.on(basename(path), look);
      writeProjection(requestPath(desk, id), JSON.stringify(wish));
      ring(desk);
      look();
    });
  } finally {
    watch.close();
    rmSync(requestPath(desk, id), { force: true });
  }
  // Written by the desk.
  const reply = JSON.parse(readFileSync(path, 'utf8')) as DeskReply;
  rmSync(path, { force: true });
  if (!('error' in reply)) return reply;
  const { error, hint } = reply;
  throw new RalphError('JOB', error, { ...(hint === undefined ? {} : { hint }), exitCode: 2 });
}

function ring(desk: string): void {
  const bell = join(desk, BELL);
  writeFile(bell, '', { mode: 0o600 });
  utimesSync(bell, new Date(), new Date());
}

function nobody(desk: string): RalphError {
  return new RalphError('JOB', 'the supervisor of this run does not answer', {
    hint: `It may have been ended. A job of its own, outside of any run: env -u RALPH_JOBS ralph job … (asked at ${desk})`,
    exitCode: 2,
  });
}
