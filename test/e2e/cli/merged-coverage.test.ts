/** What scripts/merged-coverage.mjs counts for a small program whose executed lines are known. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it, vi } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { ROOT } from '../../support/scene.ts';

type Programs = ReadonlyMap<string, string>;
interface Read {
  readonly ran: ReadonlyMap<string, Uint8Array>;
  readonly processes: { readonly read: number; readonly unreadable: number };
}
interface Row {
  readonly name: string;
  readonly lines: number;
  readonly unit: number;
  readonly programs: number;
  readonly together: number;
}

const { placesInSources, readAsItComes } = (await import(join(ROOT, 'scripts/program-coverage.mjs'))) as {
  readAsItComes(folder: string, programs: Programs): { stop(): Read };
  placesInSources(ran: Read['ran'], withMaps: Programs): ReadonlyMap<string, unknown>;
};
const { linesByFolder } = (await import(join(ROOT, 'scripts/merged-coverage.mjs'))) as {
  linesByFolder(unit: Readonly<Record<string, unknown>>, places: ReadonlyMap<string, unknown>, folder: string): Row[];
};

const MAIN = `import { execSync } from 'node:child_process'; import { sign } from './signs/sign.ts';
interface Unseen { a: string }
const asked: number = Number(process.argv[2]);
if (asked > 100) execSync('kill -9 $PPID');
function never(): Unseen {
  return { a: 'x' };
}
if (asked > 200) console.log(never());
console.log(sign(asked));
`;
const SIGN = `export function sign(n: number): string {
  if (n > 0) return 'plus';
  if (n < 0) {
    return 'minus';
  }
  return 'zero';
}
`;

/** Line and columns of each statement (no end: to the end of its line), and how often unit tests ran it. */
function unitReport(
  ...statements: readonly [line: number, start: number, end: number | null, count: number][]
): unknown {
  const ranges = statements.map(([line, start, end]) => ({
    start: { line, column: start },
    end: { line, column: end },
  }));
  return { statementMap: { ...ranges }, s: { ...statements.map(([, , , count]) => count) } };
}

it.each([
  { form: 'as it is', minify: false },
  { form: 'made small', minify: true },
])('counts the lines that processes of a program ran, $form, and those that unit tests ran', async ({ minify }) => {
  const folder = testFolder();
  const left = join(folder, 'left');
  for (const path of ['left', 'src/signs', 'copy']) mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, 'src/main.ts'), MAIN);
  writeFileSync(join(folder, 'src/signs/sign.ts'), SIGN);
  const outfile = join(folder, 'dist/main.cjs');
  const entryPoints = [join(folder, 'src/main.ts')];
  await build({ entryPoints, outfile, bundle: true, minify, platform: 'node', sourcemap: 'external' });
  const withMaps = new Map(['main.cjs', 'main.cjs.map'].map((name) => [name, textOf(join(folder, 'dist', name))]));
  const reader = readAsItComes(left, new Map([['main.cjs', textOf(outfile)]]));
  copyFileSync(outfile, join(folder, 'copy/main.cjs'));

  const run = (path: string, asked: string): string =>
    execFileSync(process.execPath, [join(folder, path), asked], {
      encoding: 'utf8',
      env: { NODE_V8_COVERAGE: left },
    }).trim();
  expect(run('dist/main.cjs', '1')).toBe('plus');
  expect(run('copy/main.cjs', '0')).toBe('zero');
  expect(() => run('dist/main.cjs', '150')).toThrow();
  await vi.waitUntil(() => readdirSync(left).length === 0, { timeout: 10_000 });
  writeFileSync(join(left, 'coverage-broken.json'), '{"result":[');
  const { ran, processes } = reader.stop();
  expect(processes).toEqual({ read: 2, unreadable: 1 });
  expect(readdirSync(left)).toEqual([]);

  const unit = {
    // asked; if; execSync; return of never; if; console.log of never; console.log. No unit test ran them.
    [join(folder, 'src/main.ts')]: unitReport(
      [3, 22, null, 0],
      [4, 0, 43, 0],
      [4, 17, 43, 0],
      [6, 2, 20, 0],
      [8, 0, 39, 0],
      [8, 17, 39, 0],
      [9, 0, null, 0],
    ),
    // Unit tests ran both ifs, and the return of 'minus' on line 4, which no process ran.
    [join(folder, 'src/signs/sign.ts')]: unitReport(
      [2, 2, 27, 1],
      [2, 13, 27, 0],
      [3, 2, 24, 1],
      [4, 4, null, 1],
      [6, 2, null, 0],
    ),
  };
  expect(linesByFolder(unit, placesInSources(ran, withMaps), folder)).toEqual([
    { name: 'src/main.ts', lines: 5, unit: 0, programs: 4, together: 4 },
    { name: 'src/signs', lines: 4, unit: 3, programs: 3, together: 4 },
    { name: 'total', lines: 9, unit: 3, programs: 7, together: 8 },
  ]);
});

function textOf(path: string): string {
  return readFileSync(path, 'utf8');
}
