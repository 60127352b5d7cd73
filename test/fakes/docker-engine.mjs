#!/usr/bin/env node
/**
 * A fake of Docker Desktop for `docker sandbox`: machines that keep their state, have a copy of the work tree, and
 * synchronise it as the real one does. What is written inside comes out a moment later. A file that was copied in once
 * is never copied in again, however it is overwritten outside, until the machine is stopped and started.
 *
 *     $DOCKER_HOME/calls.log      every call, as a line of JSON
 *     $DOCKER_HOME/state.json     the machines
 *     $DOCKER_HOME/vm/<name>/     the insides of one: work/ (its copy), home/ (/home/agent), pids
 *     $DOCKER_HOME/claude         the program that runs as the agent inside
 */
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';

const home = process.env.DOCKER_HOME;
const syncDelay = Number(process.env.DOCKER_SYNC_MS);
const stateFile = join(home, 'state.json');
const machines = new Map(existsSync(stateFile) ? Object.entries(JSON.parse(readFileSync(stateFile, 'utf8'))) : []);
const running = new Map();

const server = createServer((socket) => {
  let received = Buffer.alloc(0);
  socket.on('error', () => {
    // The client was killed; the machine keeps running.
  });
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    const request = requestIn(received);
    if (request !== null) void serve(request, socket);
  });
});
server.listen(join(home, 'engine.sock'), () => process.stdout.write('ready\n'));

/** Parses a request (see docker.pl for its format); returns null while it is incomplete. */
function requestIn(received) {
  const end = received.indexOf('\n');
  if (end === -1) return null;
  const lengths = received.toString('latin1', 0, end).split(' ').map(Number);
  const parts = [];
  let at = end + 1;
  for (const length of lengths) {
    parts.push(received.subarray(at, at + length));
    at += length;
  }
  if (at > received.length) return null;
  const stdin = parts.pop();
  return { args: parts.map(String), stdin };
}

async function serve({ args, stdin }, socket) {
  appendFileSync(join(home, 'calls.log'), `${JSON.stringify(args)}\n`);
  const say = ({ out, err }) => {
    const bytes = Buffer.from(out ?? err);
    if (socket.writable)
      socket.write(Buffer.concat([Buffer.from(`${err === undefined ? 'out' : 'err'} ${bytes.length}\n`), bytes]));
  };
  const exit = await answer(args, stdin, say);
  writeFileSync(stateFile, JSON.stringify(Object.fromEntries(machines), null, 1));
  socket.end(`exit ${exit}\n`);
}

async function answer([group, command, ...rest], stdin, say) {
  const fail = (reason) => {
    say({ err: `${reason}\n` });
    return 1;
  };
  if (group !== 'sandbox') return fail(`docker: unknown command: docker ${group}`);
  if (command === 'ls') {
    const lines = [...machines].map(
      ([name, { workspace, on }]) => `${name}  claude  ${on ? 'running' : 'stopped'}  ${workspace}`,
    );
    say({ out: `${['SANDBOX  AGENT  STATUS  WORKSPACE', ...lines].join('\n')}\n` });
    return 0;
  }
  if (command === 'create') {
    const [flag, name, agent, workspace, ...shared] = rest;
    if (flag !== '--name' || agent !== 'claude') return fail('usage: docker sandbox create --name NAME claude PATH…');
    if (machines.has(name)) return fail(`sandbox ${name} exists already`);
    for (const folder of ['work', 'home']) mkdirSync(join(insideOf(name), folder), { recursive: true });
    machines.set(name, { workspace, shared, on: false, seen: {}, policy: null });
    return 0;
  }
  // Skip the flags before the name; all except -i have a value.
  while (rest[0]?.startsWith('-')) rest.splice(0, rest[0] === '-i' ? 1 : 2);
  const name = command === 'network' ? rest[1] : rest[0];
  const machine = machines.get(name);
  if (machine === undefined) return fail(`no such sandbox: ${name}`);
  if (command === 'network') {
    const allowed = rest.filter((_word, index) => rest[index - 1] === '--allow-host');
    machine.policy = { default: rest[rest.indexOf('--policy') + 1], allowed };
    return 0;
  }
  if (command === 'stop') return stop(name, machine);
  if (command === 'rm') {
    stop(name, machine);
    rmSync(insideOf(name), { recursive: true });
    machines.delete(name);
    return 0;
  }
  if (command === 'exec') return run(name, machine, rest.slice(1), stdin, say);
  if (command === 'run') return runAgent(name, machine, rest.slice(rest.indexOf('--') + 1), say);
  return fail(`docker: unknown command: docker sandbox ${command}`);
}

/** Starts like the real agent: its settings must be JSON, and it must be logged in. */
function runAgent(name, machine, args, say) {
  const settings = join(insideOf(name), 'home/.claude.json');
  try {
    JSON.parse(readFileSync(settings, 'utf8'));
  } catch (error) {
    say({ err: `JSON Parse error: ${error.message}\n` });
    return 1;
  }
  if (!existsSync(join(insideOf(name), 'home/.claude/.credentials.json'))) {
    const result = 'Not logged in · Please run /login';
    const why = { api_error_status: 401, api_error_type: 'authentication_error' };
    const line = { type: 'result', subtype: 'success', is_error: true, result, ...why };
    const spoken = { type: 'assistant', message: { content: [{ type: 'text', text: result }] } };
    const lines = [{ ...spoken, error: 'authentication_failed', ...why }, line].map((one) => JSON.stringify(one));
    say({ out: `${args.includes('stream-json') ? lines.join('\n') : result}\n` });
    return 1;
  }
  return run(name, machine, [join(home, 'claude'), '--dangerously-skip-permissions', ...args], Buffer.alloc(0), say);
}

async function run(name, machine, argv, stdin, say) {
  if (machine.on) letNewFilesIn(name, machine);
  else start(name, machine);
  const inside = insideOf(name);
  const asInside = (text) =>
    text.replaceAll(machine.workspace, join(inside, 'work')).replaceAll('/home/agent', join(inside, 'home'));
  const [program, ...args] = argv.map(asInside);
  const isScript = program === 'bash' && (args.length === 0 || args[0] === '-s');
  const blocked = refusedByNetwork(machine, program, args);
  if (blocked !== null) {
    say({ err: `${blocked}\n` });
    return 56;
  }
  const child = spawn(program, args, {
    cwd: join(inside, 'work'),
    env: { ...process.env, HOME: join(inside, 'home') },
    detached: true,
  });
  running.set(child.pid, name);
  child.stdin.on('error', () => {
    // A program does not have to read its stdin.
  });
  child.stdin.end(isScript ? asInside(stdin.toString('utf8')) : stdin);
  child.stdout.on('data', (chunk) => say({ out: chunk }));
  child.stderr.on('data', (chunk) => say({ err: chunk }));
  const exit = await new Promise((resolve) => {
    child.once('error', (error) => {
      say({ err: `${error.message}\n` });
      resolve(127);
    });
    child.once('close', (code) => resolve(code ?? 137));
  });
  running.delete(child.pid);
  setTimeout(() => letFilesOut(name, machine), syncDelay);
  return exit;
}

/** The proxy lets HTTP through to hosts on its list, and nothing else through at all. */
function refusedByNetwork({ policy }, program, args) {
  if (program === 'nc') return 'nc: network is unreachable';
  if (program !== 'curl') return null;
  const { hostname } = new URL(args.at(-1));
  const isAllowed = (policy?.allowed ?? []).some((host) => {
    const [named] = host.split(':');
    return named === hostname || (named.startsWith('*.') && hostname.endsWith(named.slice(1)));
  });
  return isAllowed || policy?.default !== 'deny' ? null : 'curl: (56) CONNECT tunnel failed, response 403';
}

function start(name, machine) {
  const work = join(insideOf(name), 'work');
  rmSync(work, { recursive: true, force: true });
  cpSync(machine.workspace, work, { recursive: true, verbatimSymlinks: true });
  machine.seen = Object.fromEntries(filesIn(work).map((path) => [path, contentOf(join(work, path))]));
  machine.on = true;
}

function stop(name, machine) {
  for (const [pid, owner] of running) if (owner === name) process.kill(-pid, 'SIGKILL');
  if (machine.on) letFilesOut(name, machine);
  machine.on = false;
  return 0;
}

/** Copies in only files that were never seen: what was overwritten outside stays as it is inside. */
function letNewFilesIn(name, machine) {
  const work = join(insideOf(name), 'work');
  for (const path of filesIn(machine.workspace)) {
    if (path in machine.seen) continue;
    mkdirSync(dirname(join(work, path)), { recursive: true });
    cpSync(join(machine.workspace, path), join(work, path));
    machine.seen[path] = contentOf(join(work, path));
  }
}

/** Copies out what has changed inside. */
function letFilesOut(name, machine) {
  const work = join(insideOf(name), 'work');
  if (!machine.on || !existsSync(work)) return;
  const present = new Set(filesIn(work));
  for (const path of present) {
    const content = contentOf(join(work, path));
    if (content === null || machine.seen[path] === content) continue;
    machine.seen[path] = content;
    const outside = join(machine.workspace, path);
    mkdirSync(dirname(outside), { recursive: true });
    rmSync(outside, { force: true, recursive: true });
    writeFileSync(outside, Buffer.from(content, 'base64'), { mode: modeOf(join(work, path)) });
  }
  for (const path of Object.keys(machine.seen).filter((one) => !present.has(one))) {
    delete machine.seen[path];
    rmSync(join(machine.workspace, path), { force: true });
  }
}

function modeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? 0o644;
}

function filesIn(folder) {
  const found = [];
  const look = (below) => {
    for (const entry of entriesOf(join(folder, below))) {
      const path = join(below, entry.name);
      if (entry.isDirectory()) look(path);
      else if (statSync(join(folder, path), { throwIfNoEntry: false })?.isFile()) found.push(path);
    }
  };
  look('');
  return found;
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(error.code)) return [];
    throw error;
  }
}

/** Returns null if the file is gone by now: programs work while we look. */
function contentOf(path) {
  try {
    return readFileSync(path, 'base64');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(error.code)) return null;
    throw error;
  }
}

function insideOf(name) {
  return join(home, 'vm', name);
}
