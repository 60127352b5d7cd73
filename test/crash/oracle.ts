/** Checks a finished scene from outside, by what the agent, the guardrails, git and the process table say. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parseJournal } from '../../src/state/journal.ts';
import { cgroupsHere } from '../support/programs/processes.ts';
import { journals, type Scene } from './scene.ts';

export function judge(scene: Scene): void {
  const starts = readFileSync(scene.oracle, 'utf8').trim().split('\n').filter(Boolean);
  expect(duplicates(starts), 'every key is started at most once').toEqual([]);

  const finished = journals(scene).filter((text) => text.includes('"kind":"ended"'));
  expect(finished).toHaveLength(1);
  const { records, torn } = parseJournal(Buffer.from(finished[0] ?? ''), 'journal');
  expect(torn).toBeNull();
  expect(records.at(-1)?.result).toEqual({ kind: 'ended', ending: { kind: 'done' } });
  const checks = records.filter(({ result }) => result.kind === 'checked');
  expect(duplicates(checks.map(({ key }) => key)), 'a recorded guardrail is never recorded again').toEqual([]);
  for (const { key, attempt } of checks) {
    const attempts = starts
      .filter((line) => line.startsWith(`check ${key} `))
      .map((line) => Number(line.split(' ')[2]));
    expect(Math.max(...attempts), `${key} did not run again after it was recorded`).toBe(attempt);
  }

  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: scene.work, env: scene.env, encoding: 'utf8' });
  const subjects = git('log', '--format=%s').trim().split('\n');
  expect(duplicates(subjects), 'no commit is made twice').toEqual([]);
  expect(subjects[0]).toBe('reach step 3');
  expect(git('show', 'HEAD:steps')).toBe('begin\nstep 1\nstep 2\nstep 3\n');
  expect(git('status', '--porcelain', '--untracked-files=no')).toBe('');
  expect(existsSync(join(scene.work, '.git/index.lock'))).toBe(false);

  expect(processesThatKnow(scene.oracle), 'no process of a dead run is left').toEqual([]);
  expect(leavesOf(scene)).toEqual([]);
}

function duplicates(lines: readonly string[]): string[] {
  return lines.filter((line, index) => lines.indexOf(line) !== index);
}

/** Processes that have the scene's oracle in their environment, however they were started. */
export function processesThatKnow(oracle: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`ORACLE=${oracle}\0`);
      } catch {
        // The process has ended meanwhile.
        return false;
      }
    })
    .map((pid) => `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')}`);
}

function leavesOf(scene: Scene): string[] {
  const ids = readdirSync(join(scene.state, 'ralph/loops'));
  return cgroupsHere().filter((path) => ids.some((id) => path.includes(id)));
}
