/**
 * A session may be in a loop of its own in a project whose stories are being worked on. The stories' Stop hook comes first:
 * what it does not let stop is no stop, and its answer is the only one.
 */
import { writeSync } from 'node:fs';
import type { SessionAnswer } from '../../agents/session/host.ts';

export interface StoriesAnswer {
  /** Their answer is out already. */
  readonly isHeld: boolean;
  /** What else they tell the person; it goes out with ours. */
  readonly notice: string | null;
}

/** Passes the stories' answer on. `hook` is absent where there are no stories. */
export function askStories(
  input: Readonly<Record<string, unknown>>,
  hook: string | undefined,
  project: string | undefined,
): StoriesAnswer {
  if (hook === undefined || project === undefined) return { isHeld: false, notice: null };
  const { spawnSync } = require('node:child_process') as typeof import('node:child_process');
  const { stdout, stderr } = spawnSync(process.execPath, [hook, project], {
    input: JSON.stringify(input),
    encoding: 'utf8',
  });
  if (stderr !== '') writeSync(2, stderr);
  if (!stdout.includes('"decision":"block"')) return { isHeld: false, notice: noticeIn(stdout) };
  writeSync(1, stdout);
  return { isHeld: true, notice: null };
}

export function withNotice(answer: SessionAnswer, notice: string | null): SessionAnswer {
  if (notice === null || answer.kind === 'reply') return answer;
  if (answer.kind === 'nothing') return { kind: 'stop', notice };
  return { ...answer, notice: answer.notice === null ? notice : `${notice}\n${answer.notice}` };
}

function noticeIn(stdout: string): string | null {
  if (stdout.trim() === '') return null;
  // Our own hook wrote it.
  const { systemMessage } = JSON.parse(stdout) as { readonly systemMessage?: string };
  return systemMessage ?? null;
}
