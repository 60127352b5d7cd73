/** `ralph run --prove --sandbox=os`: the setup and the checks of a proof run in the sandbox, too. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { ON_DISK } from '../../support/folder.ts';
import { editJson, fakeNode } from '../../support/proof/attack.ts';
import {
  FIX,
  GREETER,
  inOneLine,
  type ProofScene,
  type ProofSceneOptions,
  proofScene,
} from '../../support/proof/proof-scene.ts';
import { helpersOf, LOST, onlyHelper } from '../../support/sandbox/helper.ts';
import { DONE } from '../../support/scene.ts';

function sandboxed(options: ProofSceneOptions): ProofScene {
  const scene = proofScene({ place: ON_DISK, ...options });
  const own = ['starts.log', 'prompts'].flatMap((name) => ['--allow-write', join(scene.folder, name)]);
  return { ...scene, prove: (...flags) => scene.prove('--sandbox=os', ...own, ...flags) };
}

const LOCK = { name: 'greeter', lockfileVersion: 3, requires: true, packages: { '': { name: 'greeter' } } };

test('npm ci runs in the sandbox, and tests are reported', async () => {
  const scene = sandboxed({
    files: { ...GREETER, 'package-lock.json': JSON.stringify(LOCK) },
    play: `${FIX}; ${DONE}`,
  });
  const { code, stderr } = await scene.prove('-m', '1');
  expect(stderr).toMatch(/✓ npm ci +\d/);
  expect(stderr).toMatch(/✓ node --test +2 tests/);
  expect(code).toBe(0);
  scene.expectNoCheckouts();
});

test('before the first iteration, the tests of the work tree are counted in the sandbox, too', async () => {
  const skipped = `import { existsSync } from 'node:fs';
    import { test } from 'node:test';
    test('with data', { skip: !existsSync('data.local') }, () => {});\n`;
  const scene = sandboxed({ files: { ...GREETER, 'test/greet.test.js': skipped }, play: DONE });
  scene.write('work/data.local', '');
  const { code, stderr } = await scene.prove();
  expect(inOneLine(stderr)).toContain('in a clean checkout 1 test of it is skipped: test › with data');
  expect(code).toBe(2);
  scene.expectNoCheckouts();
});

test('a check that writes outside the sandbox fails', async () => {
  const check = 'if [ ! -e made ]; then exit 0; fi; case $PWD in */proofs/*) echo out >"$SCENE/outside" ;; esac';
  const scene = sandboxed({ play: `echo made >made; ${DONE}`, check });
  const { code, stderr } = await scene.prove('-m', '1');
  expect(code).toBe(1);
  expect(inOneLine(stderr)).toMatch(/DONE rejected: .* exit [12] in a clean checkout\./);
  expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  scene.expectNoCheckouts();
});

test('each checkout has its own package cache, which the agent can neither read nor prepare', async () => {
  const seen = '"$npm_config_cache/seen"';
  const note = `[ ! -e ${seen} ] && mkdir -p "$npm_config_cache" && touch ${seen} && echo "$npm_config_cache" >>"$SCENE/starts.log"`;
  const scene = sandboxed({
    play: `mkdir -p "$npm_config_cache"; touch ${seen}; echo made >made; ${DONE}`,
    check: `case $PWD in */proofs/*) ${note} ;; esac`,
  });
  const { code } = await scene.prove('-m', '1');
  expect(code).toBe(0);
  const caches = scene.starts().filter((line) => line.startsWith(join(scene.folder, '.cache/ralph/proofs/')));
  expect(new Set(caches).size).toBe(2);
});

test('a sandbox helper that dies during a proof is reported', async () => {
  const wait = 'touch "$SCENE/prompts/proving"; until [ -e "$SCENE/prompts/go-on" ]; do sleep 0.05; done';
  const check = `if [ -e made ]; then case $PWD in */proofs/*) ${wait} ;; esac; fi`;
  const scene = sandboxed({ play: `echo made >made; ${DONE}`, check });
  const proved = scene.prove('-m', '1');
  await vi.waitUntil(() => existsSync(join(scene.folder, 'prompts/proving')), { timeout: 60_000 });
  process.kill(onlyHelper(scene, '/proofs/'), 'SIGKILL');
  await vi.waitUntil(() => helpersOf(scene, '/proofs/').length === 0);
  scene.write('prompts/go-on', '');
  const { code, stderr } = await proved;
  expect(stderr.split('\n').filter((line) => line.includes('helper'))).toEqual([LOST]);
  expect(code).toBe(0);
});

const WEAK = 'sed -i "s/Hello, stranger/Hello, undefined/" test/greet.test.js';

describe('an agent in the sandbox', () => {
  test.each([
    {
      what: 'whose new dependency brings a program that is named as the runner',
      play: `${fakeNode('made/node.sh')}; echo '{"name":"made","version":"1.0.0","bin":{"node":"node.sh"}}' >made/package.json
        ${editJson('it.devDependencies = { made: "file:./made" }')}; npm install --silent --no-package-lock`,
      says: 'made/package.json was changed',
    },
    {
      what: 'that leaves a process behind, which edits the tests of every checkout',
      play: `${WEAK}; (setsid sh -c 'while sleep 0.05; do for it in "$HOME"/.cache/ralph/proofs/*/tree/work; do (cd "$it" && ${WEAK}); done; done' >/dev/null 2>&1 &)`,
      says: 'test/greet.test.js was changed',
    },
  ])('$what: the claim is rejected', async (attack) => {
    const scene = sandboxed({ check: 'npm test', play: `${attack.play}\n${DONE}` });
    const { code, stderr } = await scene.prove('-m', '1');
    expect(inOneLine(stderr)).toContain(attack.says);
    expect(scene.proofs()).toHaveLength(1);
    expect(code).toBe(1);
    scene.expectNoCheckouts();
  });
});
