/** How proofs are shown to people and programs: before the loop, beside its iterations, and in a dry run. */
import { expect, test } from 'vitest';
import { BACK, FIX, inOneLine, proofScene } from '../../support/proof/proof-scene.ts';
import { DONE, PROMPT } from '../../support/scene.ts';
import { openTerminal } from '../../support/terminal/terminal.ts';

const EDIT = 'sed -i "s/Hello, stranger/Hello, undefined/" test/greet.test.js';

test('the first lines say that claims are proved; ralph show and the table show each result', async () => {
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
  expect(shown).toMatch(/^ended {2}Done in 2 iterations, proved in a clean checkout$/m);
  const { iterations } = JSON.parse((await scene.shell('ralph show --json')).stdout);
  expect(iterations.map(({ proof }: { proof: object }) => proof)).toEqual([
    { passed: false, commit: null, findings: [expect.stringContaining('was changed')], durationMs: expect.any(Number) },
    { passed: true, commit: null, findings: [], durationMs: expect.any(Number) },
  ]);
});

test('ralph show names the commit at which the work was proved', async () => {
  const scene = proofScene({ play: `${FIX}; ${DONE}`, settings: { scm: { command: 'git', tasks: ['commit'] } } });
  expect((await scene.prove('-m', '1')).code).toBe(0);
  const head = scene.git('rev-parse', 'HEAD').slice(0, 7);
  expect((await scene.shell('ralph show')).stdout).toContain(`\nended  Done in 1 iteration, proved at ${head}\n`);
});

test('output and receipt say if the tests of a check are not counted', async () => {
  const guardrails = ['node --test', 'test -f greet.js'].map((command) => ({ command, failAction: 'APPEND' }));
  const scene = proofScene({ play: `${FIX}; ${DONE}`, settings: { guardrails } });
  const { code, stderr } = await scene.prove();
  expect(code).toBe(0);
  const said = inOneLine(stderr);
  expect(said).toMatch(
    /clean checkout before the first iteration: node --test ✗ exit 1, 1 of 2 tests failed · test -f greet.js ✓, exit code only \(/,
  );
  expect(said).toContain('Exit code only, tests are not counted: test -f greet.js.');
  const words = 'test -f greet.js: exit 0; exit code only, tests not counted';
  expect(inOneLine((await scene.shell('ralph receipt')).stdout)).toContain(words);
  const { stdout } = await scene.shell('ralph receipt --format markdown');
  expect(stdout).toContain('| exit 0; exit code only, tests not counted |');
  expect(stdout).toContain('| exit 0, 2 tests |');
});

test('without checks, nothing is called proved', async () => {
  const scene = proofScene({ play: `${FIX}; ${DONE}`, settings: { guardrails: [], proof: {} } });
  const refused = await scene.prove();
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('--prove runs your checks in a clean checkout, and there are none');
  const { code, stderr } = await scene.ralph(['run', '-p', PROMPT]).exited;
  expect(code).toBe(0);
  expect(stderr).not.toContain('ralph receipt');
  expect(stderr).toContain('\n  proof      without checks, nothing is proved');
  expect(stderr).toContain('\n! there are no checks to run: nothing was proved\n');
  expect(stderr).not.toMatch(/proved (in|at)/);
  expect((await scene.shell('ralph show')).stdout).not.toContain('proof ✓');
  const receipt = (await scene.shell('ralph receipt')).stdout;
  expect(receipt).toMatch(/^! Nothing was checked \(/m);
  expect((await scene.shell('ralph receipt --format trailer')).stdout).toMatch(/^Ralph-Checked: .* checks=0 /);
});

test('errors wrap between words on a terminal of 80 columns', async () => {
  const guardrails = [{ command: 'node --test test/greet.test.js', failAction: 'APPEND', witness: true }];
  const scene = proofScene({ play: DONE, settings: { guardrails } });
  await scene.shell(FIX);
  const line = `ralph run --prove -p '${PROMPT}'`;
  const { screen, code } = await openTerminal(scene, line, { columns: 80, rows: 60 }).ended();
  expect(inOneLine(screen)).toContain(
    'error: the witness "node --test test/greet.test.js" passes before any work is done, so it proves nothing',
  );
  expect(inOneLine(screen)).toContain('hint: Choose a check that fails until the work is done, or remove "witness".');
  expect(code).toBe(2);
});

test('a dry run shows each setting of the proof, and where it comes from', async () => {
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
