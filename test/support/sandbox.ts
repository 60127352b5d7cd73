/** A scene whose agent plays its lines in the operating system's sandbox. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Exited, Program } from './program.ts';
import { makeScene, PROMPT, type Scene, type SceneOptions } from './scene.ts';

export interface SandboxScene extends Scene {
  /** `ralph run --sandbox=os`, to its end. */
  sandboxed(...flags: string[]): Promise<Exited>;
  startSandboxed(...flags: string[]): Program;
  /** Allows what the playing agent itself writes beside its work. */
  readonly own: readonly string[];
}

export function sandboxScene(options: SceneOptions): SandboxScene {
  const scene = makeScene(options);
  const own = ['starts.log', 'prompts'].flatMap((name) => ['--allow-write', join(scene.folder, name)]);
  const startSandboxed = (...flags: string[]): Program =>
    scene.ralph(['run', '-p', PROMPT, '--sandbox=os', ...own, ...flags]);
  return { ...scene, own, startSandboxed, sandboxed: (...flags) => startSandboxed(...flags).exited };
}

export interface Listener {
  readonly port: number;
  /** How many have come so far. */
  visitors(): number;
}

/** A server on this machine's loopback that greets whoever gets through to it. */
export async function listen(): Promise<Listener> {
  let visitors = 0;
  const server: Server = createServer((socket) => {
    visitors++;
    socket.on('error', () => {
      // The visitor went away first.
    });
    socket.end('welcome\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a server without a port');
  return { port: address.port, visitors: () => visitors };
}
