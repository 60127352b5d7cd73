/** A git repository with an agent, guardrails and commits, in which tests run and kill the built binary. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { ContainmentLevel } from '../../src/process/containment/levels.ts';
import { IN_MEMORY } from '../support/folder.ts';
import { makeFirstCommit } from '../support/git/first-commit.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FAKES = join(ROOT, 'test/fakes');

export interface Scene {
  readonly work: string;
  readonly state: string;
  readonly oracle: string;
  readonly env: NodeJS.ProcessEnv;
  /** Starts `ralph …`; `killAt` is the moment at which it is killed, as in kill-at.cjs. */
  ralph(args: readonly string[], killAt?: string): ChildProcess;
  remove(): void;
}

export type Death =
  | { readonly killed: true }
  | { readonly killed: false; readonly code: number | null; readonly stderr: string };

export function makeScene(level: ContainmentLevel): Scene {
  const folder = realpathSync(mkdtempSync(join(IN_MEMORY, 'ralph-crash-')));
  const work = join(folder, 'work');
  const state = join(folder, 'state');
  const oracle = join(folder, 'oracle.log');
  mkdirSync(join(work, '.ralph'), { recursive: true });
  writeFileSync(oracle, '');
  const guardrail = (from: number) => ({ command: `${FAKES}/step-guardrail.sh ${from}`, failAction: 'APPEND' });
  const settings = {
    agent: { command: join(FAKES, 'step-agent.sh') },
    guardrails: [guardrail(0), guardrail(2)],
    scm: { command: 'git', tasks: ['commit'] },
  };
  writeFileSync(join(work, '.ralph/settings.json'), JSON.stringify(settings));
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    XDG_STATE_HOME: state,
    ORACLE: oracle,
    RALPH_CONTAINMENT: level,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  makeFirstCommit(work, 'steps', 'begin\n', env);
  // Makes commits slow enough to be killed in the middle of one.
  writeFileSync(join(work, '.git/hooks/pre-commit'), '#!/bin/sh\nsleep 0.03\n', { mode: 0o755 });
  return {
    work,
    state,
    oracle,
    env,
    ralph(args, killAt) {
      const preload = killAt === undefined ? [] : ['--require', join(ROOT, 'test/crash/kill-at.cjs')];
      const extra = killAt === undefined ? {} : { KILL_AT: killAt };
      return spawn(process.execPath, [...preload, join(ROOT, 'bin/ralph.cjs'), ...args], {
        cwd: work,
        env: { ...env, ...extra },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export async function deathOf(child: ChildProcess): Promise<Death> {
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return signal === 'SIGKILL' ? { killed: true } : { killed: false, code, stderr };
}

/** The journals of the scene's loops; a loop that died before its first record has none. */
export function journals(scene: Scene): string[] {
  const loops = join(scene.state, 'ralph/loops');
  if (!existsSync(loops)) return [];
  return readdirSync(loops)
    .map((id) => join(loops, id, 'journal.jsonl'))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8'));
}
