/** A guardrail of kind `tests`: a suite that exits with 0 but ran no test does not prove that the work is done. */
import { expect, test } from 'vitest';
import { makeScene } from '../support/scene.ts';

const TESTS = { kind: 'tests', command: 'node --test --test-reporter=tap', failAction: 'APPEND' };
/** Skips its only test, says DONE, and removes the skip once the prompt says that this does not count. */
const PLAY = `
case "$prompt" in *"the only test was skipped"*) skip=false ;; *) skip=true ;; esac
printf "import { test } from 'node:test';\\ntest('greets', { skip: %s }, () => {});\\n" "$skip" >greet.test.mjs
echo "<response>DONE</response>"`;

test('if all tests are skipped, DONE is rejected, and the next prompt says why', async () => {
  const scene = makeScene({ play: PLAY, settings: { guardrails: [TESTS] } });
  const { code, stderr } = await scene.run('-m', '3');
  expect(stderr).toContain('✗ node --test --test-reporter=tap  the only test was skipped');
  expect(stderr).toMatch(/✓ node --test --test-reporter=tap {2}1 test /);
  expect(stderr).toContain('Done in 2 iterations');
  expect(code).toBe(0);
});
