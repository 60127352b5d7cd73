/** What people and programs see of proofs: before the loop, beside its iterations, and without a run. */
import { expect, test } from 'vitest';
import { BACK, FIX, inOneLine, proofScene } from '../../support/proof/proof-scene.ts';
import { DONE, PROMPT } from '../../support/scene.ts';

const EDIT = 'sed -i "s/Hello, stranger/Hello, undefined/" test/greet.test.js';

test('the opening says that claims are proved; ralph show and the table say what came of each', async () => {
  const scene = proofScene({
    play: `if [ $n = 1 ]; then ${EDIT}; else ${BACK}; ${FIX}; fi; ${DONE}`,
    settings: { proof: { setup: 'true' } },
  });
  const { code, stderr } = await scene.prove();
  expect(code).toBe(0);
  expect(stderr).toContain('\n  proof      DONE is proved in a clean checkout, after true  (--no-prove)\n');
  const [first = '', second = ''] = /^ {2}1 {2}.*\n.*/m.exec(stderr)?.[0].split('\n') ?? [];
  expect(first).toMatch(/ DONE rejected +node --test ✓ {2}proof ✗ /);
  expect(second).toMatch(/ done +node --test ✓ {2}proof ✓ /);

  const shown = (await scene.shell('ralph show')).stdout;
  expect(shown).toMatch(/^ +node --test ✓ · proof ✗ \d+\.\ds · /m);
  expect(inOneLine(shown)).toContain('"node --test": test/greet.test.js was changed; with the version from');
  expect(shown).toMatch(/^ +node --test ✓ · proof ✓ \d+\.\ds · /m);
  const { iterations } = JSON.parse((await scene.shell('ralph show --json')).stdout);
  expect(iterations.map(({ proof }: { proof: object }) => proof)).toEqual([
    { passed: false, commit: null, findings: [expect.stringContaining('was changed')], durationMs: expect.any(Number) },
    { passed: true, commit: null, findings: [], durationMs: expect.any(Number) },
  ]);
});

test('a dry run names each setting of the proof, and where it is from', async () => {
  const files = { 'package.json': '{}', 'package-lock.json': '{}' };
  const scene = proofScene({ play: DONE, files, settings: { proof: { pin: ['golden'] } } });
  const dry = async (...flags: string[]) => {
    const { stdout } = await scene.ralph(['run', '-p', PROMPT, '--dry-run', ...flags]).exited;
    return [...stdout.matchAll(/^ {2}(proof\S*) +(.*)$/gm)].map(([, path, value]) => `${path} ${value}`);
  };
  expect(await dry('--pin', 'more', '--accept-flaky')).toEqual([
    'proof.include []  (default)',
    'proof.pin ["golden","more"]  (settings and --pin)',
    'proof.allowEdit []  (default)',
    'proof.acceptFlaky true  (--accept-flaky)',
    'proof.setup "npm ci"  (detected)',
  ]);
  expect(await dry('--no-prove')).toEqual(['proof false  (--no-prove)']);
});
