/** An agent that needs a person says so: the loop ends with its question, and continues with the answer. */
import { describe, expect, test } from 'vitest';
import { DONE, makeScene } from '../support/scene.ts';

const ASKS = 'echo "<response>BLOCKED: which database should the tests use?</response>"';

test('the question is shown, ralph answer takes the answer, and the next prompt contains it', async () => {
  const scene = makeScene({ play: `case "$prompt" in *SQLite*) ${DONE} ;; *) ${ASKS} ;; esac` });
  const { code, stderr } = await scene.ralph(['run', 'Make the tests pass.']).exited;
  expect(code).toBe(5);
  expect(stderr).toContain('! Blocked after 1 iteration');
  expect(stderr).toContain('which database should the tests use?');
  const short = scene.loops()[0]?.slice(-8, -4);
  expect(stderr).toContain(`ralph answer ${short} "…"`);
  expect((await scene.shell('ralph ls')).stdout).toMatch(/! .* needs you .* which database/);
  expect((await scene.shell('ralph answer "Use SQLite."')).code).toBe(0);
  expect((await scene.shell('ralph resume')).code).toBe(0);
  expect(scene.promptOf('1/work/2')).toContain('Use SQLite.');
});

test('with -p the prompt does not offer BLOCKED, so an agent that prints it does not block the loop', async () => {
  const scene = makeScene({ play: `[ $n -lt 2 ] && { ${ASKS}; exit; }; ${DONE}` });
  expect((await scene.run()).code).toBe(0);
  expect(scene.starts()).toHaveLength(2);
});

describe('--on-blocked wait', () => {
  const asking = () => {
    const scene = makeScene({ play: `case "$prompt" in *SQLite*) ${DONE} ;; *) ${ASKS} ;; esac` });
    const start = () => scene.ralph(['run', 'Make the tests pass.', '--on-blocked', 'wait']);
    return { scene, start };
  };

  test('keeps the loop waiting for the answer, and shows the question meanwhile', async () => {
    const { scene, start } = asking();
    const ralph = start();
    await ralph.says('To answer, run: ralph answer');
    expect((await scene.shell('ralph ls')).stdout).toMatch(/! .* needs you .* which database/);
    const { stdout: status } = await scene.shell('ralph status');
    expect(status).toContain('  asks        which database should the tests use?\n');
    expect(status).toMatch(/^ {2}ralph answer \w+ "…" +answer it$/m);
    expect((await scene.shell('ralph report')).stdout).toContain('which database should the tests use?');
    // A note is not an answer.
    expect((await scene.shell('ralph tell "Be quick."')).code).toBe(0);
    expect((await scene.shell('ralph answer "Use SQLite."')).stdout).toContain('continues with your answer');
    expect((await ralph.exited).code).toBe(0);
    expect(scene.promptOf('1/work/2')).toMatch(/Be quick\..*The answer to your question.*Use SQLite\./s);
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 1/work/2']);
  });

  test('a new supervisor keeps waiting, or continues if there is an answer', async () => {
    const { scene, start } = asking();
    const first = start();
    await first.says('To answer, run: ralph answer');
    // The queue is not empty, and a new supervisor starts: neither counts as an answer.
    await scene.shell('ralph tell "Be quick."');
    first.signal('SIGKILL');
    await first.exited;
    expect((await scene.shell('ralph ls')).stdout).toMatch(/! .* needs you .* which database/);
    const second = scene.ralph(['resume']);
    await second.says('To answer, run: ralph answer');
    second.signal('SIGKILL');
    await second.exited;
    expect((await scene.shell('ralph answer "Use SQLite."')).stdout).toContain('To continue, run: ralph resume');
    expect((await scene.shell('ralph ls')).stdout).toMatch(/◐ .* answered .* ralph resume/);
    expect((await scene.ralph(['resume']).exited).code).toBe(0);
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 1/work/2']);
  });

  test('ralph resume continues without an answer, and ralph stop ends the loop', async () => {
    const { scene, start } = asking();
    const ralph = start();
    await ralph.says('To answer, run: ralph answer');
    expect((await scene.shell('ralph resume')).code).toBe(0);
    await scene.journalSays('"key":"1/work/2/await"');
    await scene.logged('agent 1/work/2');
    expect((await scene.shell('ralph stop')).code).toBe(0);
    expect((await ralph.exited).code).toBe(130);
  });
});
