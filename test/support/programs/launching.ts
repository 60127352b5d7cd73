/** Launches shell lines in a temporary folder; when the test ends, nothing of them is left. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { Containment } from '../../../src/process/containment/containment.ts';
import { endRun } from '../../../src/process/end.ts';
import { type Launch, type Launched, launch } from '../../../src/process/launch.ts';
import { testFolder } from '../folder.ts';
import { endProcessesOf } from './processes.ts';

export interface Started extends Launched {
  readonly folder: string;
  /** The current content of one of its files. */
  text(name: string): string;
  /** Resolves when this file exists in its folder. */
  made(name: string): Promise<void>;
}

/** The lines run in the folder, and `$SCENE` is its path. */
export function shell(lines: string, folder: string = testFolder()): Omit<Launch, 'containment'> {
  return {
    argv: ['sh', '-c', lines, folder],
    cwd: folder,
    env: { PATH: process.env.PATH, SCENE: folder },
    folder,
    mark: `test/${randomUUID()}`,
    stdout: 'stdout.log',
    stderr: 'stderr.log',
  };
}

export async function start(containment: Containment, spec: Omit<Launch, 'containment'>): Promise<Started> {
  const { folder } = spec;
  onTestFinished(() => void endProcessesOf(folder));
  const launched = await launch({ ...spec, containment });
  onTestFinished(async () => void (await endRun(launched.trace, 0)));
  return { ...launched, ...filesOf(folder) };
}

export function filesOf(folder: string): Pick<Started, 'folder' | 'text' | 'made'> {
  return {
    folder,
    text: (name) => readFileSync(join(folder, name), 'utf8'),
    async made(name) {
      await vi.waitUntil(() => existsSync(join(folder, name)), { interval: 5, timeout: 10_000 });
    },
  };
}
