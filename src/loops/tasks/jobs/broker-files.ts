/** The files by which an agent asks its supervisor, and is answered. Their folder is the agent's, also in a sandbox. */
import { join } from 'node:path';
import type { Draft } from '../../../bus/message.ts';
import type { JobWish } from './job-spec.ts';

/** A message that is for a bus which a sandbox lets nobody write. */
export interface PostWish {
  readonly post: Draft;
}

export type DeskWish = JobWish | PostWish;

export type DeskReply =
  | { readonly runFolder: string; readonly noSandbox?: string }
  | { readonly msgId: string }
  | { readonly error: string; readonly hint?: string };

export const JOBS_VARIABLE = 'RALPH_JOBS';
/** The kind of the sandbox that an agent is in. */
export const SANDBOX_VARIABLE = 'RALPH_SANDBOX';
export const BELL = 'bell';
export const REQUEST = '.request.json';

export function jobsFolder(loop: string): string {
  return join(loop, 'jobs');
}

export function requestPath(folder: string, id: string): string {
  return join(folder, `${id}${REQUEST}`);
}

export function replyPath(folder: string, id: string): string {
  return join(folder, `${id}.reply.json`);
}
