/** Asks the supervisor of our run, by files: to start a child run, or to post where the sandbox does not allow it. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Draft } from '../../../bus/message.ts';
import { defined } from '../../../core/defined.ts';
import { RalphError } from '../../../core/error.ts';
import { writeFile } from '../../../process/files.ts';
import { watchFolder } from '../../../process/folder-watch.ts';
import { writeProjection } from '../../../state/projection.ts';
import type { JobSpec } from './job-spec.ts';

/** A job, or a message for a bus that the agent's sandbox cannot write to. */
export type BrokerRequest = JobSpec | { readonly post: Draft };

export const JOBS_VARIABLE = 'RALPH_JOBS';
export const SANDBOX_VARIABLE = 'RALPH_SANDBOX';
export const BELL = 'bell';
export const REQUEST = '.request.json';

/** A broker that takes longer must have died. */
const ANSWER_WITHIN_MS = 30_000;

export function jobsFolder(loop: string): string {
  return join(loop, 'jobs');
}

export function replyPath(folder: string, id: string): string {
  return join(folder, `${id}.reply.json`);
}

/** The folder of the new run, and why it has no sandbox if the strongest available one was wanted. */
export function askForJob(broker: string, job: JobSpec): Promise<{ runFolder: string; noSandbox?: string }> {
  return ask(broker, job);
}

export async function askToPost(broker: string, post: Draft): Promise<string> {
  return (await ask<{ msgId: string }>(broker, { post })).msgId;
}

async function ask<Reply>(broker: string, request: BrokerRequest): Promise<Reply> {
  if (!existsSync(broker)) throw noAnswer(broker);
  const id = randomUUID();
  const path = replyPath(broker, id);
  const requestPath = join(broker, `${id}${REQUEST}`);
  const watch = watchFolder(broker);
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(noAnswer(broker)), ANSWER_WITHIN_MS);
      const look = (): void => {
        if (!existsSync(path)) return;
        clearTimeout(timer);
        resolve();
      };
      watch.on(basename(path), look);
      writeProjection(requestPath, JSON.stringify(request));
      const bell = join(broker, BELL);
      writeFile(bell, '', { mode: 0o600 });
      utimesSync(bell, new Date(), new Date());
      look();
    });
  } finally {
    watch.close();
    rmSync(requestPath, { force: true });
  }
  const reply = JSON.parse(readFileSync(path, 'utf8')) as Reply & { error?: string; hint?: string };
  rmSync(path, { force: true });
  if (reply.error === undefined) return reply;
  throw new RalphError('JOB', reply.error, defined({ hint: reply.hint }));
}

function noAnswer(broker: string): RalphError {
  return new RalphError('JOB', 'the supervisor of this run does not answer', {
    hint: `It may have ended. To start a separate job, outside any run: env -u RALPH_JOBS ralph job … (asked at ${broker})`,
  });
}
