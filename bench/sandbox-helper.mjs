/** The helper of a sandboxed loop, without its loop: to measure what a single program costs that the helper starts. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** First runs a loop, which leaves its policy. */
export async function openSandboxHelper({ workspace, env: given }) {
  const cwd = workspace.project;
  const state = join(workspace.output, 'helper');
  const run = [workspace.ralph, 'run', '-p', 'x', '-m', '1', '--sandbox=os'];
  spawnSync(process.execPath, run, { cwd, env: { ...given, XDG_STATE_HOME: state }, stdio: 'ignore' });
  const [loop] = readdirSync(join(state, 'ralph/loops'));
  const file = join(state, 'ralph/loops', loop, 'sandbox.json');
  const { policy } = JSON.parse(readFileSync(file, 'utf8'));
  for (const folder of [policy.runtime, policy.temp]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const inside = Object.fromEntries(Object.entries(policy.env).filter(([, value]) => value !== null));
  const env = { ...given, ...inside, RALPH_INSIDE_PATH: given.PATH };
  const argv = [workspace.ralph, 'sandbox-helper', '--policy', file, '--grace', '5000'];
  const helper = spawn(process.execPath, argv, { cwd: policy.runtime, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  createInterface({ input: helper.stdout }).on('line', (line) => {
    const { id, ...answer } = JSON.parse(line);
    waiting.get(id)(answer);
    waiting.delete(id);
  });
  let last = 0;
  const ask = (question) =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      helper.stdin.write(`${JSON.stringify({ id: last, ...question })}\n`);
    });
  const refusals = join(state, 'refusals');
  writeFileSync(refusals, '');
  const ended = (argv) =>
    new Promise((resolve, reject) => {
      const child = spawn(argv[0], argv.slice(1), { cwd, env, stdio: 'ignore' });
      child.once('error', reject);
      child.once('exit', resolve);
    });
  const opened = {
    /** Like a supervisor, until the helper says that all refusals are reported. */
    async run(argv, isOffline) {
      const { words, name, reason } = await ask({ ask: 'program', program: { refusals, writes: [], isOffline } });
      if (words === undefined) throw new Error(reason);
      const code = await ended([...words, ...argv]);
      await ask({ ask: 'ended', name });
      if (code !== 0) throw new Error(`${argv.join(' ')} ended with exit code ${code}, not 0`);
    },
    close: () => void helper.stdin.end(),
  };
  await opened.run(['true'], false);
  return opened;
}
