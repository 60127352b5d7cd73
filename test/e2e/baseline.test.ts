/** The checks run once before the first iteration. Red ones are shown, and with `--baseline` they do not count. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DONE, makeScene, type Scene } from '../support/scene.ts';

const TASK = 'Add the feature.';
const LINT = 'echo "lint: 3 problems"; test -f clean';
const CHECKS = ['--check', LINT, '--check', 'test -f feature'];
const WORK = `touch feature; ${DONE}`;

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
const baselineOf = (scene: Scene) => scene.journal().filter(({ key }) => key.startsWith('baseline/'));

describe('before the first iteration', () => {
  test('the checks run once; red ones are shown to the user and to the agent', async () => {
    const scene = makeScene({ play: `touch feature clean; ${DONE}` });
    const { code, stderr } = await scene.ralph(['run', TASK, ...CHECKS]).exited;
    expect(code).toBe(0);
    expect(inOneLine(stderr)).toContain(
      'Before the first iteration: echo "lint: 3 problems"; test -f clean is red (exit 1). .ralph/baseline_0_',
    );
    expect(stderr.match(/^── 1\/10.*/gm)).toEqual([expect.stringMatching(/^── 1\/10 ─+$/)]);
    expect(scene.promptOf('1/work/1')).toMatch(
      /Add the feature\.\n\nThese checks were already red before the first iteration:\n- echo/,
    );
    expect(baselineOf(scene).map(({ key }) => key)).toEqual(['baseline/check/0', 'baseline/check/1']);
    expect(readdirSync(join(scene.work, '.ralph')).filter((name) => name.startsWith('baseline_'))).toHaveLength(2);
    // `ralph show` lists only the checks of the iteration itself.
    const [iteration] = JSON.parse((await scene.shell('ralph show --json')).stdout).iterations;
    expect(iteration.checks).toHaveLength(2);
    expect(iteration.checks.every((check: { passed: boolean }) => check.passed)).toBe(true);
  });

  test('without --baseline, a red check counts like any other', async () => {
    const scene = makeScene({ play: WORK });
    expect((await scene.ralph(['run', TASK, '-m', '2', ...CHECKS]).exited).code).toBe(1);
    expect(scene.promptOf('2/work/1')).toContain('lint: 3 problems');
  });

  test('the checks do not run for a prompt of -p, nor with --no-baseline', async () => {
    const scene = makeScene({ play: `touch feature clean; ${DONE}` });
    expect((await scene.run(...CHECKS)).code).toBe(0);
    expect(baselineOf(scene)).toEqual([]);
    const other = makeScene({ play: `touch feature clean; ${DONE}` });
    expect((await other.ralph(['run', TASK, '--no-baseline', ...CHECKS]).exited).code).toBe(0);
    expect(baselineOf(other)).toEqual([]);
    expect(other.promptOf('1/work/1')).not.toContain('already red');
  });
});

describe('--baseline', () => {
  test('a check that was red does not count while it keeps failing, and the closing lines say so', async () => {
    const scene = makeScene({ play: WORK });
    const { code, stderr } = await scene.ralph(['run', TASK, '--baseline', ...CHECKS]).exited;
    expect(code).toBe(0);
    expect(stderr).toContain('red before the first iteration: it does not count');
    expect(stderr).toContain('Passed: test -f feature.');
    expect(inOneLine(stderr)).toContain(
      'test -f clean" was red before the first iteration (exit 1), and did not count.',
    );
    const prompt = scene.promptOf('1/work/1');
    expect(prompt).toContain('They do not count');
    expect(prompt).toContain('<response>DONE</response>');
  });

  test('a check that has passed once must stay green', async () => {
    const scene = makeScene({
      play: `touch feature; case $n in 1) touch clean ;; 2) rm clean; ${DONE} ;; 3) touch clean; ${DONE} ;; esac`,
    });
    expect((await scene.run('--baseline', ...CHECKS)).code).toBe(0);
    expect(scene.starts()).toHaveLength(3);
    expect(scene.promptOf('3/work/1')).toContain('lint: 3 problems');
    // Only failures are ever added to a prompt of -p.
    expect(scene.promptOf('1/work/1')).toBe('Do the work.');
  });

  test('a supervisor that continues the loop does not take the baseline again', async () => {
    const scene = makeScene({ play: `at_gate; ${WORK}` });
    const first = scene.ralph(['run', TASK, '--baseline', ...CHECKS]);
    await scene.logged('at gate 1/work/1');
    first.signal('SIGKILL');
    await first.exited;
    const second = scene.ralph(['resume']);
    await scene.logged('at gate 1/work/2');
    scene.openGate();
    expect((await second.exited).code).toBe(0);
    expect(baselineOf(scene)).toHaveLength(2);
  });

  test('an interrupted baseline continues with the check that was cut off', async () => {
    const scene = makeScene({ play: WORK });
    const slow = 'grep -q check "$SCENE/starts.log" || { echo check >>"$SCENE/starts.log"; exec sleep 1000; }; false';
    const first = scene.ralph(['run', TASK, '--baseline', '--check', 'false', '--check', slow]);
    await scene.logged('check');
    first.signal('SIGKILL');
    await first.exited;
    expect((await scene.ralph(['resume']).exited).code).toBe(0);
    expect(baselineOf(scene).map(({ key, attempt }) => [key, attempt])).toEqual([
      ['baseline/check/0', 1],
      ['baseline/check/1', expect.any(Number)],
    ]);
  });
});

test('with --worktree, the checks before the first iteration run in the worktree', async () => {
  const scene = makeScene({ play: WORK });
  const check = 'pwd; test -f feature';
  const { code, stderr } = await scene.ralph(['run', TASK, '--worktree', '--check', check]).exited;
  expect(code).toBe(0);
  expect(inOneLine(stderr)).toContain(`Before the first iteration: ${check} is red (exit 1).`);
  const [before] = baselineOf(scene);
  const tree = join(scene.folder, 'work-worktrees', readdirSync(join(scene.folder, 'work-worktrees'))[0] ?? '');
  expect(before?.result).toMatchObject({ kind: 'checked', output: `${tree}\n` });
  expect(existsSync(join(scene.work, 'feature'))).toBe(false);
});

test('with --at, the checks run when the loop starts, not when it is created', async () => {
  const scene = makeScene({ play: WORK });
  const at = new Date(Date.now() + 2000);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  expect((await scene.ralph(['run', TASK, '--at', local, '--check', 'test -f feature']).exited).code).toBe(0);
  const [created] = scene.journal();
  const notBefore = created?.result.kind === 'created' ? (created.result.terms?.notBefore ?? 0) : 0;
  expect(notBefore).toBeGreaterThan(created?.at ?? 0);
  expect(baselineOf(scene).map(({ at: checkedAt }) => checkedAt >= notBefore)).toEqual([true]);
});
