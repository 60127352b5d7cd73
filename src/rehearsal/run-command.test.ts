import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';

let folder: string;
let program: string;

/** A separate process gets the signals: it runs its arguments as the command and exits with the result. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-command-test-'));
  program = join(folder, 'run.mjs');
  const contents = `
    import { runCommand } from './rehearse.ts';
    process.exit(await runCommand({
      command: process.argv.slice(2), env: process.env, cwd: process.cwd(), stdio: ['ignore', 'inherit', 'inherit'],
    }));`;
  buildSync({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function runThenSend(signal: NodeJS.Signals, command: readonly string[]): Promise<number | null> {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const runner: ChildProcess = spawn(process.execPath, [program, ...command], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => runner.once('exit', resolve));
  if (runner.stdout) await once(runner.stdout, 'data');
  runner.kill(signal);
  return ended;
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s reaches the command, whose death is %i', async (signal, code) => {
  expect(await runThenSend(signal, ['sh', '-c', 'echo up; exec sleep 600'])).toBe(code);
});

test('a command that takes an interruption for success is not believed', async () => {
  const polite = `process.on('SIGINT', () => process.exit(0)); setInterval(() => {}, 1000); console.log('up');`;
  expect(await runThenSend('SIGINT', [process.execPath, '-e', polite])).toBe(130);
});

test('a command that ends with its own code after a signal keeps it', async () => {
  const own = `process.on('SIGTERM', () => process.exit(5)); setInterval(() => {}, 1000); console.log('up');`;
  expect(await runThenSend('SIGTERM', [process.execPath, '-e', own])).toBe(5);
});
