/**
 * Where the demo plays: a temporary folder with a project and the state of its loops, and the commands that are typed
 * there, each shown before it runs.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import { root } from '../setup.mjs';
import { demoEnvironment, git, makeHome, makeProject, writeUserSettings } from './project.mjs';

const WIDTH = 80;
const PACE_MS = 500;
const program = join(root, 'bin/ralph.cjs');
const hasColor = process.stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';

/** The demo was ended by a signal; its loops are ended, too. */
export class Interrupted extends Error {}

export function paint(style, text) {
  return hasColor ? styleText(style, text) : text;
}

export function openStage() {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-demo-'));
  const project = join(folder, 'hello');
  const script = join(folder, 'agent.json');
  const env = demoEnvironment(folder);
  makeHome(folder);
  writeUserSettings(folder, { script });
  makeProject(project, { env });
  /** Each child with the promise of its exit. */
  const running = new Map();
  let interrupted = false;
  const interrupt = () => {
    interrupted = true;
    // The second signal ends a loop at once. From a terminal, the loop has already got the first one: then these
    // are one more than needed.
    for (const child of running.keys()) for (const signal of ['SIGTERM', 'SIGINT']) child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);

  const start = (args, stdio) => {
    if (interrupted) throw new Interrupted();
    const child = spawn(process.execPath, [program, ...args], { cwd: project, env, stdio });
    const closed = new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve(code ?? signal));
    }).finally(() => running.delete(child));
    running.set(child, closed);
    const ended = async () => {
      const code = await closed;
      if (interrupted) throw new Interrupted();
      return code;
    };
    return { child, ended };
  };
  const wait = async (ms) => {
    await sleep(ms);
    if (interrupted) throw new Interrupted();
  };

  return {
    folder,
    project,
    /** What the agent plays from its next start on, at a readable pace if there is a reader. */
    plays(replies) {
      const paceMs = process.stdout.isTTY ? PACE_MS : 0;
      writeFileSync(script, `${JSON.stringify({ paceMs, replies }, null, 2)}\n`);
    },
    /** Types a ralph command, and shows what it prints. `ended` resolves with its exit code. */
    ralph(...args) {
      typed(`ralph ${args.map(quoted).join(' ')}`);
      return start(args, 'inherit');
    },
    /** A commit by the user; from then on, the loops commit by themselves. */
    commit(message) {
      const args = ['commit', '--quiet', '--all', '--message', message];
      typed(`git commit -qam ${quoted(message)}`, 'from here on, ralph commits');
      git(args, { cwd: project, env, encoding: 'utf8' });
      writeUserSettings(folder, { script, commits: true });
    },
    /** The JSON output of a command, which is not shown. */
    async asked(...args) {
      const { child, ended } = start([...args, '--json'], ['ignore', 'pipe', 'inherit']);
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
      await ended();
      return JSON.parse(said);
    },
    /** Ends what was interrupted: the newest loop, or the agent that it left running. */
    async clear() {
      spawnSync(process.execPath, [program, 'stop', '--now'], { cwd: project, env, stdio: 'ignore' });
      await Promise.all(running.values());
    },
    wait,
    /** A pause for a reader, if there is one. */
    pause: (ms) => wait(process.stdout.isTTY ? ms : 0),
  };
}

export function heading(title, sentence) {
  const begin = `━━ ${title} `;
  say('', paint('cyan', begin + '━'.repeat(WIDTH - begin.length)), paint('bold', sentence));
}

export function typed(command, comment) {
  const shown = `${paint('dim', '$')} ${paint('cyan', command)}`;
  say('', comment === undefined ? shown : `${shown}  ${paint('dim', `# ${comment}`)}`);
}

export function say(...lines) {
  for (const line of lines) console.log(line);
}

/** Quotes a word the way a person would type it. */
export function quoted(word) {
  if (/^[\w./:=@%+,-]+$/.test(word)) return word;
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : `"${word}"`;
}
