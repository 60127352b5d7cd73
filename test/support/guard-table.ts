/** The tables of commands that test the guard, and the context in which the commands are judged. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../src/guard/category.ts';
import { type Finding, judgeCommand } from '../../src/guard/judge.ts';

export interface TableCase {
  readonly command: string;
  /** `ok`, `warn 9`, `block 1`. */
  readonly expected: string;
  readonly isDirty: boolean;
}

const FOLDER = join(import.meta.dirname, '../fixtures/guard');
const INSTALLED = ['vitest', 'tsc', 'eslint', 'rimraf', 'prisma'];
const HOME = '/home/me';

export const PROJECT = '/home/me/project';

export function guardTable(name: string): TableCase[] {
  const cases: TableCase[] = [];
  for (const line of readFileSync(join(FOLDER, name), 'utf8').trimEnd().split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, head = '', text = ''] = /^([^|]*)\| ?(.*)$/.exec(line) ?? [];
    const last = cases.at(-1);
    if (head === '' && last !== undefined) cases[cases.length - 1] = { ...last, command: `${last.command}\n${text}` };
    else cases.push({ command: text, expected: head.replace('clean', '').trim(), isDirty: !head.startsWith('clean') });
  }
  return cases;
}

export function guardContext(other: Partial<Context> = {}): Context {
  return {
    home: HOME,
    project: PROJECT,
    protectedFolders: [`${HOME}/.local/state/ralph`],
    isDirty: () => true,
    remotes: () => ['git@github.com:me/project.git', 'https://gitlab.example.com/me/mirror.git'],
    exists: (path) => INSTALLED.some((bin) => path === `${PROJECT}/node_modules/.bin/${bin}`),
    ...other,
  };
}

export function judged(command: string, isDirty = true): Finding[] {
  return judgeCommand(command, PROJECT, guardContext({ isDirty: () => isDirty }));
}

/** As the table writes it: the expected block if it is among the findings, else the first finding. */
export function verdictOf(findings: readonly Finding[], expected = ''): string {
  const all = findings.map(({ tier, number }) => `${tier} ${number}`);
  return expected.startsWith('block') && all.includes(expected) ? expected : (all[0] ?? 'ok');
}
