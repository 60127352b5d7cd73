/** `npm run demo` for a user who has just cloned: no account, an empty home, a real loop. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram } from '../../support/programs/program.ts';
import { makeScene, ROOT } from '../../support/scene.ts';

test('the demo shows both iterations, the failed guardrail, the commit, the folder and what to type next', async () => {
  const { folder } = makeScene({ play: 'exit 1' });
  // Nothing of ours: no state, no git identity, and its new repository where we can see it.
  const env = { PATH: process.env.PATH, HOME: join(folder, 'prompts'), TMPDIR: join(folder, 'prompts') };
  const { code, stdout, stderr } = await startProgram([process.execPath, join(ROOT, 'scripts/demo.mjs')], {
    cwd: folder,
    env: { ...env, SCENE: folder },
  }).exited;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr.match(/^(──|✗|✓).*/gm)).toEqual([
    expect.stringMatching(/^── 1\/5 ─+$/),
    expect.stringMatching(/^✗ node --test {2}exit 1 +\d+\.\ds$/),
    '✗ DONE rejected: node --test is red. The failure goes into the next prompt.',
    expect.stringMatching(/^── 2\/5 ─+$/),
    expect.stringMatching(/^✓ node --test +\d+\.\ds$/),
    expect.stringMatching(/^✓ committed [0-9a-f]{7} {2}Greet strangers too {2}\d files?, \+\d+ −\d+$/),
    expect.stringMatching(/^✓ Done in 2 iterations · /),
  ]);
  expect(stdout).toContain('The test for an empty name failed');
  expect(stdout).toMatch(/^ {2}[0-9a-f]+ Greet strangers too$/m);
  const [demo = ''] = readdirSync(env.HOME);
  expect(demo).toMatch(/^ralph-demo-/);
  expect(stdout).toContain(`The folder:  ${join(env.HOME, demo, 'project')}\n`);
  expect(stdout).toContain(`  ${join(ROOT, 'bin/ralph.cjs')} run -p "`);
});
