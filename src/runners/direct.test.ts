import { randomUUID } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { ifThere } from '../process/files.ts';
import { alwaysReady } from '../process/follow.ts';
import { LaunchError } from '../process/launch.ts';
import { directRunner } from './direct.ts';
import type { Runner } from './runner.ts';

let folder: string;
let runner: Runner;

beforeEach(() => {
  folder = testFolder();
  const host = { containment: { level: 'group' }, env: {}, mask: (text: string) => text } as const;
  runner = directRunner({ host, grace: 0 });
  onTestFinished(() => runner.close());
});

function runOf(...argv: [string, ...string[]]) {
  const env = { PATH: process.env.PATH };
  return { folder, name: 'run', mark: `test/${randomUUID()}`, argv, cwd: folder, env };
}

async function heardOf(run: ReturnType<typeof runOf>): Promise<string> {
  const chunks: string[] = [];
  const hear = (chunk: Buffer): void => void chunks.push(chunk.toString('utf8'));
  const { signal } = new AbortController();
  await runner.await(run, { onOutput: hear, onStderr: hear, ready: alwaysReady, signal });
  return chunks.join('');
}

/** Which of the folder's files this process holds open. */
function heldFiles(): string[] {
  const links = readdirSync('/proc/self/fd').map((fd) => ifThere(() => readlinkSync(`/proc/self/fd/${fd}`)) ?? '');
  return links.filter((path) => path.startsWith(`${folder}/run.`));
}

test('what a program prints is heard also when it has removed the files that it prints into', async () => {
  const run = runOf('sh', '-c', 'rm run.out run.err; echo out; echo err >&2');
  await runner.start(run);
  expect((await heardOf(run)).split('\n').sort()).toEqual(['', 'err', 'out']);
});

test('a run that complained of nothing leaves no file for its complaints', async () => {
  const [silent, loud] = [runOf('echo', 'out'), { ...runOf('sh', '-c', 'echo err >&2'), name: 'loud' }];
  for (const run of [silent, loud]) {
    await runner.start(run);
    await heardOf(run);
  }
  expect(readdirSync(folder).sort()).toEqual(['loud.err', 'loud.out', 'processes.jsonl', 'run.out']);
});

test('no file stays open: not of a run that was heard, nor of one that could not be started or was not waited for', async () => {
  const heard = runOf('echo', 'out');
  await runner.start(heard);
  expect(heldFiles().length).toBeGreaterThan(0);
  await heardOf(heard);
  expect(heldFiles()).toEqual([]);
  await expect(runner.start(runOf('./no-such-program'))).rejects.toThrow(LaunchError);
  expect(heldFiles()).toEqual([]);
  await runner.start(runOf('sleep', '60'));
  await runner.close();
  expect(heldFiles()).toEqual([]);
});
