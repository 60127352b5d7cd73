/** The benchmarks still work: each runs once, with small sizes. Nightly all of them, otherwise a sample. */
import { readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { withoutProgram } from '../bad-input/without-program.ts';
import { testFolder } from '../support/folder.ts';
import { startProgram } from '../support/programs/program.ts';
import { ROOT } from '../support/scene.ts';
import { sweep } from '../support/sweep.ts';

const CASES = sweep(
  readdirSync(join(ROOT, 'bench/cases')).map((file) => file.replace(/\.mjs$/, '')),
  7,
);
const TAKES_AT_MOST_MS = 400_000;

test(
  'benchmarks run without errors',
  async () => {
    const bench = startProgram([process.execPath, 'bench/run.mjs', '--once', ...CASES], { cwd: ROOT });
    const { code, stdout, stderr } = await bench.exited;
    expect({ code, stderr, died: stdout.match(/^.*FAILED\n.*\n/gm) }).toEqual({ code: 0, stderr: '', died: null });
    const ran = stdout.match(/^[\w-]+(?=: [1-9]\d* figures$)/gm) ?? [];
    expect(ran.sort()).toEqual(CASES.sort());
  },
  TAKES_AT_MOST_MS,
);

/** A fake of the peer ralphy: answers `--version`, and runs `does` for `--yaml <list> --max-iterations <n>`. */
function ralphyThat(does: string): NodeJS.ProcessEnv {
  const folder = testFolder();
  const script = `#!/bin/sh\n[ "$1" = --version ] && exec echo 9.9.9\n${does}\n`;
  writeFileSync(join(folder, 'ralphy'), script, { mode: 0o755 });
  const { PATH, SNARKTANK_RALPH: _clone, ...others } = process.env;
  return { ...others, PATH: [folder, PATH].join(delimiter) };
}

test('a benchmark that fails is named, the others still run, and the exit code is 1', async () => {
  const argv = [process.execPath, 'bench/run.mjs', '--once', 'peers', 'start-up'] as const;
  const { code, stdout } = await startProgram(argv, { cwd: ROOT, env: ralphyThat('exit 3') }).exited;
  expect(code).toBe(1);
  expect(stdout).toMatch(/^peers: FAILED\nError: ralphy .* ended with exit code 3, not 0/m);
  expect(stdout).toMatch(/^start-up: [1-9]\d* figures$/m);
  expect(stdout).toMatch(/\nFAILED: peers\n$/);
});

test('benchmarks that need a missing program are left out with the reason, which is not a failure', async () => {
  const env = { ...process.env };
  for (const program of ['tmux', 'socat']) Object.assign(env, withoutProgram(program, env));
  const argv = [process.execPath, 'bench/run.mjs', '--once', 'panes', 'top', 'status-line', 'sandbox'] as const;
  const { code, stdout } = await startProgram(argv, { cwd: ROOT, env }).exited;
  expect(code).toBe(0);
  for (const name of ['CPU per 4 s of watching 50 panes', 'CPU of ralph top', 'CPU of the status line'])
    expect(stdout).toContain(`${name}: left out, `);
  expect(stdout).toMatch(/^sandbox: left out, /m);
  if (process.platform !== 'linux') return;
  expect(stdout.match(/: left out, .*tmux not found$/gm)).toHaveLength(3);
  expect(stdout).toMatch(/^sandbox: left out, (?:bwrap, )?socat(?:, rg)? not found$/m);
});

test('an installed peer is measured, and a missing one is left out with the reason', async () => {
  const env = ralphyThat('i=0; while [ "$i" -lt "$4" ]; do claude >/dev/null; i=$((i + 1)); done');
  const argv = [process.execPath, 'bench/run.mjs', '--once', 'peers'] as const;
  const { code, stdout } = await startProgram(argv, { cwd: ROOT, env }).exited;
  expect(code).toBe(0);
  expect(stdout).toMatch(/^peer snarktank\/ralph: left out, SNARKTANK_RALPH does not name/m);
  expect(stdout).not.toContain('peer ralphy-cli: left out');
});
