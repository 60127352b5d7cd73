/** The operating system's sandbox, opened without a loop, to run programs in it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { agentsAccess } from '../../../src/agents/index.ts';
import { defined } from '../../../src/core/defined.ts';
import { openOsSandbox } from '../../../src/runners/os-sandbox.ts';
import { readRefusals } from '../../../src/runners/sandbox/refusals.ts';
import { NO_SANDBOX } from '../../../src/runners/sandbox/request.ts';
import { ON_DISK } from '../folder.ts';
import { makeFirstCommit } from '../git/first-commit.ts';
import { endProcessesOf } from '../programs/processes.ts';
import { ROOT } from '../scene.ts';

export const RALPH = [process.execPath, join(ROOT, 'bin/ralph.cjs')] as const;

interface Options {
  readonly allowHosts?: readonly string[];
  readonly allowWrite?: readonly string[];
  readonly self?: readonly [string, ...string[]];
  /** Folders to create, in the work tree or in the home folder (`~/`). */
  readonly folders?: readonly string[];
  readonly warn?: (line: string) => void;
}

interface More {
  readonly writes?: string[];
  readonly isOffline?: boolean;
  readonly onlyReads?: boolean;
  readonly meanwhile?: () => void;
}

/** Opens it as a supervisor does, in this process. */
export function opened({ allowHosts = [], allowWrite = [], self = RALPH, folders = [], warn }: Options = {}) {
  const folder = realpathSync(mkdtempSync(join(ON_DISK, 'ralph-programs-')));
  const [work, loop, stateRoot] = ['work', 'state/loop', 'state'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const at = (path: string): string => (path.startsWith('~/') ? join(folder, path.slice(2)) : join(work, path));
  for (const path of [...['.ralph', ...folders].map(at), loop]) mkdirSync(path, { recursive: true });
  const { PATH = '' } = process.env;
  const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' };
  const env = { PATH, HOME: folder, SCENE: folder, ...who };
  makeFirstCommit(work, 'work.txt', 'begin\n', env);
  const sandbox = openOsSandbox({
    loop: folder,
    cwd: work,
    env,
    stateRoot,
    folder: loop,
    access: agentsAccess('agent'),
    request: { ...NO_SANDBOX, kind: 'os', allowHosts, allowWrite },
    self,
    grace: 5000,
    ...defined({ warn }),
  });
  onTestFinished(async () => {
    await sandbox.close();
    expect(endProcessesOf(folder)).toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  });
  /** Runs shell lines in it; resolves to their output. `meanwhile` runs after the paths are read, before the start. */
  const run = async (lines: string, called: string, { meanwhile, ...more }: More = {}) => {
    const refusals = join(loop, `${called}.refused`);
    const { argv, ended } = await sandbox.enclose(['sh', '-c', lines], { refusals, ...more });
    meanwhile?.();
    const [program, ...args] = argv;
    const child = spawn(program, args, {
      cwd: work,
      env: { ...env, ...sandbox.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
    const [code] = (await once(child, 'close')) as [number | null];
    await ended();
    const refused = readRefusals(refusals).map(({ target }) => target);
    return { code, stdout: await stdout, stderr: await stderr, refused };
  };
  return { folder, work, loop, env, sandbox, run };
}
