/** A scene with a fake Docker: an engine that outlives its clients, and `docker` on the PATH. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Exited, startProgram } from '../programs/program.ts';
import { makeScene, ROOT, type Scene, type SceneOptions } from '../scene.ts';

export interface DockerScene extends Scene {
  /** `ralph run --sandbox`, to its end. Its agent prints plain text. */
  inDocker(...flags: string[]): Promise<Exited>;
  /** The name that the work tree's sandbox must have. */
  readonly name: string;
  /** The calls of `docker sandbox` so far, except `ls`. */
  calls(): string[][];
  /** The content of a file in the machine's copy of the work tree. */
  inside(path: string): string;
  machines(): Record<string, { readonly policy: { readonly default: string; readonly allowed: readonly string[] } }>;
}

/** Longer than a look at the files takes. */
const SYNC_MS = 100;

/** It has the environment of the machine, so it does not know the key of its run. */
const AGENT = `#!/bin/sh
for prompt; do :; done
. "$SCENE/play"
`;

export interface DockerSceneOptions extends SceneOptions {
  /** How long it takes until files come out of the machine. */
  readonly settleMs?: number;
}

export async function dockerScene({ settleMs = SYNC_MS, ...options }: DockerSceneOptions): Promise<DockerScene> {
  const settings = { sandbox: { settleMs: 3 * settleMs }, ...options.settings };
  const docker = { DOCKER_ENGINE: '', ...options.env };
  const scene = makeScene({ agent: 'claude', ...options, settings, env: docker });
  const home = join(scene.folder, 'docker');
  for (const path of ['docker', '.dclaude_state/.claude']) mkdirSync(join(scene.folder, path), { recursive: true });
  writeFileSync(join(scene.folder, '.dclaude_state/.claude/.credentials.json'), '{}');
  symlinkSync(join(ROOT, 'test/fakes/docker.pl'), join(scene.folder, 'bin/docker'));
  writeFileSync(join(home, 'claude'), AGENT, { mode: 0o755 });
  scene.env.DOCKER_ENGINE = join(home, 'engine.sock');
  const env = { ...scene.env, DOCKER_HOME: home, DOCKER_SYNC_MS: String(settleMs) };
  const engine = startProgram([process.execPath, join(ROOT, 'test/fakes/docker-engine.mjs')], { cwd: home, env });
  await engine.says('ready');
  onTestFinished(async () => {
    engine.signal('SIGKILL');
    await engine.exited;
    rmSync(home, { recursive: true, force: true });
  });
  const name = `ralph-${scene.work.replaceAll(/[^A-Za-z0-9._-]/g, '_')}`;
  return {
    ...scene,
    name,
    inDocker: (...flags) => scene.run('--sandbox', '--no-stream-agent-output', ...flags),
    inside: (path) => readFileSync(join(home, 'vm', name, 'work', path), 'utf8'),
    machines: () => JSON.parse(readFileSync(join(home, 'state.json'), 'utf8')) as ReturnType<DockerScene['machines']>,
    calls: () =>
      readFileSync(join(home, 'calls.log'), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as string[]).slice(1))
        .filter(([command]) => command !== 'ls'),
  };
}
