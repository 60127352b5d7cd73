/** A small, committed project with a red test, and an agent that has to make it green under `--prove`. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { Proof } from '../../../src/core/proof/proof.ts';
import type { Exited, Program } from '../programs/program.ts';
import { makeScene, PROMPT, type Scene, type SceneOptions } from '../scene.ts';

export interface ProofSceneOptions extends SceneOptions {
  /** Instead of those of the greeter. */
  readonly files?: Readonly<Record<string, string>>;
  readonly check?: string;
}

export interface ProofScene extends Scene {
  startProving(...flags: string[]): Program;
  /** `ralph run --prove`, to its end. */
  prove(...flags: string[]): Promise<Exited>;
  /** The proofs of the claims, in order. */
  proofs(): Proof[];
  /** Fails unless every clean checkout is gone. */
  expectNoCheckouts(): void;
}

const TESTS = `import assert from 'node:assert';
import { test } from 'node:test';
import { greet } from '../greet.js';
test('greets by name', () => assert.equal(greet('Ann'), 'Hello, Ann'));
test('greets a stranger', () => assert.equal(greet(), 'Hello, stranger'));
`;

/** A project in which one of two tests is red. */
export const GREETER: Readonly<Record<string, string>> = {
  '.gitignore': 'node_modules\n*.local\n',
  'package.json': `${JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  'greet.js': "export const greet = (name) => 'Hello, ' + name;\n",
  'test/greet.test.js': TESTS,
};

/** Does the work that was asked for. */
export const FIX = `echo "export const greet = (name = 'stranger') => 'Hello, ' + name;" >greet.js`;

/** Restores all tracked files, and removes the untracked ones. */
export const BACK = 'git checkout -q . && git clean -fdq';

export function proofScene({
  files = GREETER,
  check = 'node --test',
  settings,
  ...options
}: ProofSceneOptions): ProofScene {
  const guardrails = [{ command: check, failAction: 'APPEND' }];
  // The agent is found by its name: the settings are committed, and a path would differ in every scene.
  const scene = makeScene({ ...options, settings: { agent: { command: 'agent' }, guardrails, ...settings } });
  for (const [path, content] of Object.entries(files)) put(join(scene.work, path), content);
  scene.git('add', '--all');
  scene.git('commit', '--quiet', '--message=A project');
  const startProving = (...flags: string[]): Program => scene.ralph(['run', '-p', PROMPT, '--prove', ...flags]);
  return {
    ...scene,
    startProving,
    prove: (...flags) => startProving(...flags).exited,
    proofs: () =>
      scene
        .journal()
        .flatMap(({ result }) => (result.kind === 'stepped' && result.what === 'prove' ? [result.gave as Proof] : [])),
    expectNoCheckouts: () => expect(checkoutsOf(scene)).toEqual([]),
  };
}

export function checkoutsOf({ folder }: Scene): string[] {
  const place = join(folder, '.cache/ralph/proofs');
  return existsSync(place) ? readdirSync(place) : [];
}

export function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** The text with all whitespace collapsed. */
export const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
