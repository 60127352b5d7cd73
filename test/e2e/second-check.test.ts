/** The recipe for a kind of check in CONTRIBUTING.md: one file, one line in the table, its part of `CheckSpec`. */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { testFolder } from '../support/folder.ts';
import { ROOT } from '../support/scene.ts';

const EVEN = `/** Passes for an even number. */
import type { EvenCheck } from '../core/check.ts';
import type { RunCheck } from './index.ts';

export const runEvenCheck: RunCheck<EvenCheck> = async ({ check }) => {
  const outcome = check.number % 2 === 0 ? { is: 'passed' } as const : { is: 'failed', how: 'odd', code: 1 } as const;
  return { index: check.index, outcome, log: check.log, output: '', truncated: false, durationMs: 0 };
};
`;

test('a second kind is one file and one line; without the line the compiler says what is missing', async () => {
  const folder = testFolder();
  const at = (path: string): string => join(folder, path);
  cpSync(join(ROOT, 'src'), at('src'), { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
  for (const name of ['package.json', 'node_modules']) symlinkSync(join(ROOT, name), at(name));
  const edit = (path: string, from: string, to: string): void => {
    const text = readFileSync(at(path), 'utf8');
    expect(text).toContain(from);
    writeFileSync(at(path), text.replace(from, to));
  };
  const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: object;
  };
  writeFileSync(at('tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  const tsc = () =>
    spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['--noEmit', '-p', folder], { encoding: 'utf8' }).stdout;

  writeFileSync(at('src/checks/even.ts'), EVEN);
  edit(
    'src/core/check.ts',
    'export type CheckSpec = CommandCheck;',
    `export type CheckSpec = CommandCheck | EvenCheck;
    export interface EvenCheck extends CheckCommon { readonly kind: 'even'; readonly number: number }`,
  );
  expect(tsc()).toContain("Property 'even' is missing");
  edit('src/checks/index.ts', '  command: runCommandCheck,', '  command: runCommandCheck,\n  even: runEvenCheck,');
  edit(
    'src/checks/index.ts',
    'import { runCommandCheck }',
    "import { runEvenCheck } from './even.ts';\nimport { runCommandCheck }",
  );
  expect(tsc()).toBe('');

  const contents = `
    import { runCheck } from './src/checks/index.ts';
    const check = (number) => ({ kind: 'even', index: 0, log: '', keepChars: 0, timeoutMs: null, number });
    const found = await Promise.all([1, 2].map((number) => runCheck({ check: check(number) }, null)));
    process.stdout.write(found.map(({ outcome }) => outcome.is).join(' '));`;
  const outfile = at('checks.mjs');
  const options = { bundle: true, platform: 'node', format: 'esm', packages: 'external', logLevel: 'error' } as const;
  await build({ stdin: { contents, resolveDir: folder, loader: 'js' }, outfile, ...options });
  expect(spawnSync(process.execPath, [outfile], { encoding: 'utf8' }).stdout).toBe('failed passed');
});
