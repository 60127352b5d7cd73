/** Bad input to `ralph run`, including what its guardrails need. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram } from '../support/programs/program.ts';
import { makeScene, PROMPT, ROOT } from '../support/scene.ts';
import { agentFaults, badInput } from './bad-input.ts';
import { LOOP_KINDS } from './loop-kinds.ts';
import { ownMounts } from './mounts.ts';
import { withoutProgram } from './without-program.ts';

badInput(LOOP_KINDS.run);
agentFaults(LOOP_KINDS.run);

/** What guardrails need is checked before an agent costs money. */
const GUARDED = { play: 'true', settings: { guardrails: [{ command: 'true', failAction: 'APPEND' }] } };
const RUN = [process.execPath, join(ROOT, 'bin/ralph.cjs'), 'run', '-p', PROMPT, '-m', '1'] as const;

test('guardrails without mkfifo: exits with 2, names it, and starts no agent', async () => {
  const scene = makeScene(GUARDED);
  const env = { ...scene.env, ...withoutProgram('mkfifo', scene.env) };
  const { code, stderr } = await startProgram(RUN, { cwd: scene.work, env }).exited;
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/^error: .*mkfifo is not installed\nhint: /),
  });
  expect({ starts: scene.starts(), loops: scene.loops() }).toEqual({ starts: [], loops: [] });
});

test('guardrails in a read-only project: exits with 2, says so, and starts no agent', async () => {
  const scene = makeScene(GUARDED);
  const mounts = await ownMounts();
  mounts.readOnly(scene.work);
  const env = { ...scene.env, BENCH_CWD: scene.work };
  const [first = '', ...rest] = mounts.front;
  const { code, stderr } = await startProgram([first, ...rest, ...RUN], { cwd: scene.work, env }).exited;
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/^error: .*\.ralph: read-only file system\n/),
  });
  expect({ starts: scene.starts(), loops: scene.loops() }).toEqual({ starts: [], loops: [] });
});
