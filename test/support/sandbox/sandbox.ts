/** A scene whose agent plays its lines in the operating system's sandbox. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ON_DISK } from '../folder.ts';
import { type Exited, type Program, startProgram } from '../programs/program.ts';
import { makeScene, PROMPT, ROOT, type Scene, type SceneOptions } from '../scene.ts';

/**
 * Root has more ways out than other users, so if the tests run as root, both are tried, unless the checkout is in a
 * private folder, where another user cannot even start the program.
 */
export type SandboxUser = 'this user' | 'another user';
const OTHER_USER = 65_534;
export const SANDBOX_USERS: readonly SandboxUser[] =
  isRoot() && isReachable(ROOT) ? ['this user', 'another user'] : ['this user'];

/** Can any user enter this folder and its parents? */
function isReachable(folder: string): boolean {
  return (statSync(folder).mode & 0o001) !== 0 && (folder === dirname(folder) || isReachable(dirname(folder)));
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The words before a command that run it as another user. */
export function as(user: SandboxUser): string[] {
  return user === 'this user' ? [] : ['setpriv', `--reuid=${OTHER_USER}`, `--regid=${OTHER_USER}`, '--clear-groups'];
}

export interface SandboxScene extends Scene {
  /** `ralph run --sandbox=os`, to its end. */
  sandboxed(...flags: string[]): Promise<Exited>;
  startSandboxed(...flags: string[]): Program;
  /** The same as another user, who then owns the scene, or through another program that starts it. */
  sandboxedBy(starter: readonly string[], ...flags: string[]): Promise<Exited>;
  /** Flags that allow what the playing agent itself writes outside its work. */
  readonly own: readonly string[];
}

export function sandboxScene(options: SceneOptions): SandboxScene {
  const scene = makeScene({ place: ON_DISK, ...options });
  const own = ['starts.log', 'prompts'].flatMap((name) => ['--allow-write', join(scene.folder, name)]);
  const startSandboxed = (...flags: string[]): Program =>
    scene.ralph(['run', '-p', PROMPT, '--sandbox=os', ...own, ...flags]);
  return {
    ...scene,
    own,
    startSandboxed,
    sandboxed: (...flags) => startSandboxed(...flags).exited,
    sandboxedBy(starter, ...flags) {
      if (starter.includes(`--reuid=${OTHER_USER}`))
        execFileSync('chown', ['-R', `${OTHER_USER}:${OTHER_USER}`, scene.folder]);
      const ralph = [process.execPath, join(ROOT, 'bin/ralph.cjs'), 'run', '-p', PROMPT, '--sandbox=os'];
      const [program = '', ...args] = [...starter, ...ralph, ...own, ...flags];
      return startProgram([program, ...args], { cwd: scene.work, env: scene.env, detached: true }).exited;
    },
  };
}

/** The report of `test/fakes/sandbox-attack.cjs`. */
export interface Attack {
  readonly sockets: readonly { readonly name: string; readonly outcomes: readonly string[] }[];
  readonly answers: readonly string[];
  readonly seen: readonly string[];
  readonly opened: readonly string[];
  readonly settings: readonly string[];
}

/** A shell command that attacks the sandbox it runs in, to reach this socket. */
export function attackOn(socket: string): string {
  return `${process.execPath} ${join(ROOT, 'test/fakes/sandbox-attack.cjs')} ${socket}`;
}

/** How the attack must end, in the sandbox of any loop. */
export const NO_WAY_OUT: Attack = {
  // There are two, of the bridge and of the proxy: an attack that finds none has looked in the wrong place.
  sockets: ['claude', 'srt'].map((name) => ({ name, outcomes: expect.toSatisfy(isRefused) as string[] })),
  answers: ['HTTP/1.1 407 Proxy Authentication Required', 'HTTP/1.1 407 Proxy Authentication Required'],
  seen: [],
  opened: [],
  settings: [],
};

function isRefused(outcomes: readonly string[]): boolean {
  return outcomes.every((outcome) => ['EROFS', 'EBUSY', 'EXDEV', 'EACCES', 'EPERM'].includes(outcome));
}

/** Parses the report from the output of the program. */
export function attackIn(text: string): Attack {
  const line = text.split('\n').find((each) => each.startsWith('{"sockets"'));
  return JSON.parse(line ?? `"no report in ${text}"`) as Attack;
}

export interface Listener {
  readonly port: number;
  /** How many clients have connected so far. */
  visitors(): number;
}

/** A server that greets any client that gets through to its socket in the file system. */
export async function listenAt(path: string): Promise<Pick<Listener, 'visitors'>> {
  const { server, visitors } = greeter();
  server.listen({ path, readableAll: true, writableAll: true });
  await once(server, 'listening');
  return { visitors };
}

/** A server on this machine's loopback that greets any client that gets through to it. */
export async function listen(): Promise<Listener> {
  const { server, visitors } = greeter();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a server without a port');
  return { port: address.port, visitors };
}

function greeter(): { server: Server; visitors(): number } {
  let visitors = 0;
  const server = createServer((socket) => {
    visitors++;
    socket.on('error', () => {
      // The client went away first.
    });
    socket.end('welcome\n');
  });
  onTestFinished(() => void server.close());
  return { server, visitors: () => visitors };
}
