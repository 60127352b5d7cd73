/** The steps that a plan can have, by name: what the agent does, and what it logs as a witness. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { log } from './witness.mjs';

export const FILLER = 'filler.bin';
/** The cost of each text that the agent says, unless the step sets another. */
const TOKENS = 500;

const STEPS = {
  say(text, { speech }, { tokens = TOKENS }) {
    speech.say(text, tokens);
    log('said', { text, tokens });
  },
  /** What a subagent said: the words are not the agent's own. */
  subagent(text, { speech }) {
    speech.subagent(text, TOKENS);
    log('subagent', { text, tokens: TOKENS });
  },
  toolOutput(text, { speech }) {
    speech.toolOutput(text);
    log('tool output', { text });
  },
  /** The agent ends there. */
  cutIn(text, run) {
    run.speech.sayHalf(text);
    run.isOver = true;
    log('cut', { text });
  },
  write(content, { speech }, { to = 'answer.txt' }) {
    writeAs(to, `${content}\n`, speech);
  },
  remove(path) {
    rmSync(path, { force: true });
    log('removed', { path, isGone: !existsSync(path) });
  },
  /** Removes the checks from the harness's own settings, if there are any in the work tree. */
  weaken(_, { speech }) {
    const { path, content } = JSON.parse(readFileSync(join(process.env.SCENE, 'weak-settings.json'), 'utf8'));
    if (path === null) log('nothing to weaken');
    else if (writeAs(path, content, speech)) log('weakened', { path });
  },
  run(command) {
    const { status } = spawnSync('sh', ['-c', command], { stdio: 'ignore' });
    log('ran', { command, status });
  },
  /** Without a task, the agent has nothing to do. */
  readPrompt(_, run) {
    if (run.prompt.includes('answer.txt')) return;
    run.speech.say('What shall I do?');
    run.speech.result();
    run.isOver = true;
    log('no prompt');
  },
  exit(code, run) {
    run.exit = code;
    log('fails', { code });
  },
  /** The agent's last message now, instead of after the last step. */
  result(_, { speech }) {
    speech.result();
    log('result');
  },
  waitMs: (ms) => pause(ms),
  /** Longer than a harness gets that ends nothing. */
  async hang() {
    log('hangs');
    await pause(600_000);
  },
  async tick(times, { speech }, { everyMs }) {
    for (let count = 0; count < times; count++) {
      await pause(everyMs);
      speech.say('Still at it.', TOKENS);
      log('ticked', { tokens: TOKENS });
    }
  },
  /** Works silently, like a compiler. */
  compute(ms) {
    const end = performance.now() + ms;
    log('computes');
    while (performance.now() < end);
    log('computed', { cpuMs: process.cpuUsage().user / 1000 });
  },
  /** Only the agent's own model is limited. */
  limit({ lastsMs, exit }, run) {
    if (run.model !== null) return;
    const resetAt = resetOf(lastsMs);
    if (Date.now() >= resetAt * 1000) {
      log('no limit any more', { resetAt });
      return;
    }
    refuse(run, { status: 429, words: "You've hit your session limit · resets soon", resetAt }, exit);
  },
  /** What another model does instead of the rest. It lasts until the limit of the first model is certainly lifted. */
  async asFallback(steps, run) {
    if (run.model === null) return;
    for (const step of steps) await perform(step, run);
    await pause(resetOf(0) * 1000 + 1500 - Date.now());
    run.speech.result();
    run.isOver = true;
  },
  overload(status, run) {
    refuse(run, { status, words: status === 429 ? 'Too many requests (not your usage limit)' : 'Overloaded' }, 1);
  },
  async daemon({ keepsStdout }, _run) {
    const program = join(import.meta.dirname, 'daemon.mjs');
    const stdio = ['ignore', keepsStdout ? 'inherit' : 'ignore', 'ignore', 'pipe'];
    const daemon = spawn(process.execPath, [program, process.env.WITNESS], { detached: true, stdio });
    await once(daemon.stdio[3], 'data');
    daemon.stdio[3].destroy();
    daemon.unref();
  },
  /** Asks the model and waits for its whole answer. */
  async ask() {
    const socket = connect(Number(readFileSync(join(process.env.SCENE, 'model.port'), 'utf8')), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('?');
    await once(socket, 'data');
    log('connected');
    socket.resume();
    await once(socket, 'end');
    log('answered');
  },
  /** Writes until the disk refuses a byte. */
  fillDisk() {
    for (let size = 1 << 20; size >= 1; size >>= 1) while (grows(size));
  },
  freeDisk() {
    rmSync(FILLER, { force: true });
    log('disk freed');
  },
  /** Through the file that sets the faked clock of everything in the scene. */
  async jumpClock(offset) {
    const before = Date.now();
    writeFileSync(join(process.env.SCENE, 'clock'), `${offset}\n`);
    await pause(100);
    log('clock', { before, after: Date.now() });
  },
};

export async function perform(step, run) {
  const [name] = Object.keys(step);
  await STEPS[name](step[name], run, step);
}

function writeAs(path, content, speech) {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    log('wrote', { path, content });
    return true;
  } catch (error) {
    log('refused', { path, code: error.code });
    speech.say(`That was refused: ${error.message}`);
    return false;
  }
}

function refuse(run, refusal, exit) {
  run.speech.refusal(refusal);
  run.exit = exit;
  run.isOver = true;
  log('refusal', { ...refusal, exit });
}

/** The first call sets the reset, in whole seconds as the service reports it. */
function resetOf(lastsMs) {
  const file = join(process.env.SCENE, 'reset');
  if (!existsSync(file)) writeFileSync(file, String(Math.ceil((Date.now() + lastsMs) / 1000)));
  return Number(readFileSync(file, 'utf8'));
}

function grows(size) {
  try {
    writeFileSync(FILLER, Buffer.alloc(size), { flag: 'a' });
    return true;
  } catch (error) {
    if (size === 1) log('disk full', { code: error.code });
    return false;
  }
}
