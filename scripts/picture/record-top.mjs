/** Records `ralph top` with four real loops, as a terminal of 100 columns shows it, in colour. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify, stripVTControlCharacters } from 'node:util';
import { environmentOfChildren, root, SetupError } from '../setup.mjs';

export const TOP_COLUMNS = 100;
const ROWS = 24;
const LOOK_EVERY_MS = 200;
const PATIENCE_MS = 60_000;

/** Each has its own project; those that do not end by themselves stay in the background. */
const LOOPS = [
  { project: 'docs', task: 'Describe every setting', check: 'true', stays: false },
  { project: 'web', task: 'Make the end-to-end tests pass', check: 'false', stays: false, limit: 6 },
  { project: 'shop', task: 'Move the orders to a database', check: 'true', stays: true, limit: 15 },
  { project: 'demo', task: 'Fix the failing tests', check: 'test "$(wc -l <greet.js)" -gt 9', stays: true, limit: 10 },
];

/** The screen once every loop is in its intended state, with a bar for each of its iterations. */
const SHOWN = [
  /! .* shop .* needs you .* [▁-█] .*which database/,
  /● .* demo .* working .* 4\/10 +[▁-█]{4} .*Bash npm run build/,
  /✗ .* web .* [▁-█]{6} /,
  /✓ .* docs .* [▁-█] /,
];

/** The working loop is selected, and its own output is shown to its end; the others have printed much the same. */
const CHOSEN =
  /\n▸● (\w+) .*\n(?:.*\n)+─ \1 ─.* following ▼ ─\n(?:.*\n)+ ── 4\/10 ─+\n(?:.*\n)+ ⏺ Bash\(npm run build\)\n Enter open/;

export async function recordTop() {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-top-'));
  const run = promisify(execFile);
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(join(root, 'scripts/picture/top-agent.mjs'), join(bin, 'claude'));
  const { TMUX: _, NO_COLOR: __, COLORTERM: ___, ...own } = environmentOfChildren();
  const who = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b.c',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b.c',
  };
  const state = { HOME: folder, XDG_STATE_HOME: join(folder, 'state'), IS_SANDBOX: '1' };
  const env = { ...own, ...who, ...state, PATH: [bin, own.PATH].join(delimiter) };
  const ralph = (cwd, ...args) => run(process.execPath, [join(root, 'bin/ralph.cjs'), ...args], { cwd, env });
  const tmux = async (...args) =>
    (await run('tmux', ['-S', join(folder, 'tmux'), '-f', '/dev/null', ...args], { env })).stdout;
  const staying = [];
  try {
    for (const { project, task, check, stays, limit = 5 } of LOOPS) {
      const cwd = join(folder, 'projects', project);
      mkdirSync(cwd, { recursive: true });
      writeFileSync(join(cwd, 'greet.js'), '');
      for (const args of [
        ['init', '-q', '-b', 'main'],
        ['add', '.'],
        ['commit', '-q', '-m', 'First'],
      ])
        await run('git', args, { cwd, env });
      const flags = ['--agent', 'claude', '--check', check, '-m', String(limit), '--on-blocked', 'wait'];
      // A loop that reaches its limit has another exit code.
      const { stdout } = await ralph(cwd, 'run', task, ...flags, ...(stays ? ['--detach'] : [])).catch((error) => {
        if (stays || error.code !== 1) throw error;
        return error;
      });
      if (stays) staying.push({ cwd, pid: Number(/pid (\d+)/.exec(stdout)?.[1]) });
    }
    const size = ['-x', String(TOP_COLUMNS), '-y', String(ROWS)];
    const argv = [process.execPath, join(root, 'bin/ralph.cjs'), 'top'];
    await tmux('-u', 'new-session', '-d', ...size, '-c', join(folder, 'projects', 'demo'), ...argv);
    await until(async () => isShown(await tmux('capture-pane', '-p')));
    // Select the working loop.
    await tmux('send-keys', 'g', 'j');
    // The same screen is both checked and kept, because the next one may differ.
    let recorded = '';
    await until(async () => {
      recorded = `${(await tmux('capture-pane', '-p', '-e')).trimEnd()}\n`;
      const screen = stripVTControlCharacters(recorded);
      return isShown(screen) && CHOSEN.test(screen);
    });
    return recorded;
  } catch (error) {
    if (error.code === 'ENOENT') throw new SetupError('The picture needs tmux.');
    throw error;
  } finally {
    await tmux('kill-server').catch(() => undefined);
    for (const { cwd } of staying) await ralph(cwd, 'stop', '--now').catch(() => undefined);
    await until(async () => staying.every(({ pid }) => isGone(pid)));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const isShown = (screen) => SHOWN.every((row) => row.test(screen));

function isGone(pid) {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}

async function until(isSo) {
  for (const end = Date.now() + PATIENCE_MS; !(await isSo()); await sleep(LOOK_EVERY_MS))
    if (Date.now() > end) throw new SetupError(`the loops of the picture did not get to where they are meant to be`);
}

/** Without colours, and with placeholders for what differs in every run: times, ids, heights of bars. */
export function maskedTop(recorded) {
  return stripVTControlCharacters(recorded)
    .replaceAll(/\b[0-9a-f]{4,6}\b/g, '(id)')
    .replaceAll(/[▁▂▃▄▅▆▇█]/g, '#')
    .replaceAll(/\b\d+(?:\.\d)?[smh]\b|\b\d\d:\d\d\b/g, '(time)')
    .replaceAll(/ {2,}/g, '  ');
}
