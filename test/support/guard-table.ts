/** Reads the tables of commands that the guard is tested by. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, judgeCommand } from '../../src/core/guard/judge.ts';

export interface TableCase {
  readonly command: string;
  /** `ok`, `warn 9`, `block 1`. */
  readonly expected: string;
  readonly isDirty: boolean;
}

const FOLDER = join(import.meta.dirname, '../fixtures/guard');
const INSTALLED = ['vitest', 'tsc', 'eslint', 'rimraf', 'prisma'];

export const HOME = '/home/me';
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

export function judged(command: string, isDirty = true, cwd = PROJECT): Finding[] {
  return judgeCommand(command, cwd, {
    home: HOME,
    project: PROJECT,
    protectedFolders: [`${HOME}/.local/state/ralph`],
    isDirty: () => isDirty,
    exists: (path) => INSTALLED.some((bin) => path === `${PROJECT}/node_modules/.bin/${bin}`),
  });
}

/** As the table writes it: the first finding. */
export function verdictOf(findings: readonly Finding[]): string {
  const [first] = findings;
  return first === undefined ? 'ok' : `${first.tier} ${first.number}`;
}
