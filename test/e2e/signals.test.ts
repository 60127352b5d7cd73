/** The first signal lets the current step finish; the second one ends it now. Either way the loop can be resumed. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { levelsOfThisMachine } from '../support/levels.ts';
import { processesOf } from '../support/programs/processes.ts';
import type { Program } from '../support/programs/program.ts';
import { DONE, makeScene, PROMPT, type Scene } from '../support/scene.ts';
import { openTerminal } from '../support/terminal/terminal.ts';

/** A guardrail that waits at the gate in its first attempt. */
const GATED = 'echo "check $RALPH_ATTEMPT" >>"$SCENE/starts.log"; [ $RALPH_ATTEMPT = 2 ] || read x <"$SCENE/gate"';
const levels = levelsOfThisMachine();

test('signals that arrive while the loop is starting are not lost', async () => {
  const scene = makeScene({ play: 'at_gate' });
  const pipe = join(scene.folder, 'prompt');
  execFileSync('mkfifo', [pipe]);
  for (let times = 0; times < 20; times++) {
    const ralph = scene.ralph(['run', '-f', pipe]);
    // The write blocks until ralph opens the pipe for reading.
    await writeFile(pipe, PROMPT);
    ralph.signal('SIGINT');
    ralph.signal('SIGTERM');
    expect((await ralph.exited).code).toBe(130);
  }
});

describe('the first signal', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s: the agent finishes, exit 130, and resume continues where it stopped',
    async (signal) => {
      const guardrails = [{ command: 'echo checked >>"$SCENE/starts.log"', failAction: 'APPEND' }];
      const scene = makeScene({
        play: `at_gate; ${DONE}; echo finished >>"$SCENE/starts.log"`,
        settings: { guardrails },
      });
      const ralph = await atGate(scene);
      ralph.signal(signal);
      await ralph.says('Received signal, shutting down...');
      scene.openGate();
      const { code, stdout, stderr } = await ralph.exited;
      expect(code).toBe(130);
      expect(stdout).toBe('<response>DONE</response>\n');
      expect(stderr).toMatch(
        /\n! Interrupted after 1 iteration · [\s\S]*\n {2}ralph resume \S+ +continue\n {2}ralph show \S+ +the whole story\n$/,
      );
      expect(scene.starts()).toEqual(['agent 1/work/1', 'at gate 1/work/1', 'finished']);
      expect(await scene.ralph(['resume']).exited).toMatchObject({ code: 0 });
      expect(scene.starts()).toEqual(['agent 1/work/1', 'at gate 1/work/1', 'finished', 'checked']);
    },
  );

  test('from a terminal reaches the whole process group, but not the agent', async () => {
    const scene = makeScene({ play: `at_gate; ${DONE}; echo finished >>"$SCENE/starts.log"` });
    const ralph = await atGate(scene);
    ralph.signalGroup('SIGINT');
    await ralph.says('Received signal, shutting down...');
    scene.openGate();
    expect(await ralph.exited).toMatchObject({ code: 130, stdout: '<response>DONE</response>\n' });
    expect(scene.starts()).toContain('finished');
  });

  test('lets a guardrail finish, and its verdict is kept', async () => {
    const scene = makeScene({ play: DONE, settings: { guardrails: [{ command: GATED, failAction: 'APPEND' }] } });
    const ralph = scene.ralph(['run', '-p', PROMPT]);
    await scene.logged('check 1');
    ralph.signal('SIGTERM');
    await ralph.says('Received signal, shutting down...');
    scene.openGate();
    expect(await ralph.exited).toMatchObject({ code: 130, stderr: expect.stringMatching(/^✓ .*\d\.\ds$/m) });
    expect(await scene.ralph(['resume']).exited).toMatchObject({ code: 0 });
    expect(scene.starts()).toEqual(['agent 1/work/1', 'check 1']);
  });

  test('ends a back-off at once; resume waits for the rest of it', async () => {
    const scene = makeScene({ play: 'exit 1', settings: { failureBackoffMs: 3_600_000 } });
    const ralph = scene.ralph(['run', '-p', PROMPT]);
    await ralph.says('Agent failed (exit 1)');
    ralph.signal('SIGINT');
    expect(await ralph.exited).toMatchObject({ code: 130 });
    expect(scene.journal().at(-2)).toMatchObject({ key: '1/wait', result: { kind: 'interrupted' } });
    const resumed = scene.ralph(['resume']);
    // Once it holds the lock, it waits.
    await scene.lockedBy(resumed.pid);
    resumed.signal('SIGTERM');
    expect(await resumed.exited).toMatchObject({ code: 130 });
    expect(scene.starts()).toEqual(['agent 1/work/1']);
  });
});

test('Ctrl-C twice at 80×24 shows what happened, that nothing is lost, and the command to continue', async () => {
  const scene = makeScene({ play: 'at_gate' });
  const terminal = openTerminal(scene, 'ralph run "Do it."', { columns: 80, rows: 24 });
  await scene.logged('at gate 1/work/1');
  terminal.press('C-c');
  await terminal.shows(
    'Received signal, shutting down...\nStopping after this step; Ctrl-C again stops right now. Nothing',
  );
  terminal.press('C-c');
  const { code, screen } = await terminal.ended();
  const short = scene.loops()[0]?.slice(-8, -4);
  expect(code).toBe(130);
  expect(screen.slice(screen.indexOf('Stopping now')).split('\n')).toEqual([
    'Stopping now; what still runs has up to 5 seconds to clean up.',
    'Usage: 1 run, cost unknown',
    '',
    expect.stringMatching(/^! Interrupted after 1 iteration · \d+s · cost unknown$/),
    '  Nothing is lost: the loop can continue from here.',
    expect.stringMatching(/^ {2}There is nothing to commit except \.ralph\/ \(HEAD is still \w{7}\)\.$/),
    '',
    '  #  outcome      time',
    expect.stringMatching(/^ {2}1 {2}interrupted +\d+s$/),
    '',
    `  ralph resume ${short}   continue`,
    `  ralph show ${short}     the whole story`,
  ]);
});

describe('closing the terminal', () => {
  /** Two iterations that change a file; the first one also waits at the gate and prints. */
  const play = `case $RALPH_KEY in 1/*) at_gate; seq 1 20000 ;; *) ${DONE} ;; esac; echo line >>work.txt`;
  const guardrails = [{ command: 'seq 1 100; echo checked >>"$SCENE/starts.log"', failAction: 'APPEND' }];
  const settings = { guardrails, scm: { command: 'git', tasks: ['commit'] } };
  const oneIteration = ['agent 1/work/1', 'at gate 1/work/1', 'checked', 'agent 1/message/1'];

  test('lets the iteration finish with its checks and its commit; resume continues with the next', async () => {
    const scene = makeScene({ play, settings });
    // The shell around ralph outlives the terminal, to log how ralph ended.
    const line = `trap : HUP; ralph run -p x; echo "ended $?" >>"$SCENE/starts.log"`;
    const terminal = openTerminal(scene, `sh -c '${line}'`);
    await scene.logged('at gate 1/work/1');
    await scene.journalSays('"kind":"started"');
    terminal.close();
    scene.openGate();
    await scene.logged('ended 130');
    expect(scene.starts()).toEqual([...oneIteration, 'ended 130']);
    expect(scene.git('log', '--format=%s')).toBe('Commit of iteration 1\nbegin\n');
    expect(scene.journal().at(-2)).toMatchObject({ result: { kind: 'published', status: 'done' } });
    expect(scene.journal().at(-1)?.result).toEqual({ kind: 'left', by: 'SIGHUP' });
    expect(await scene.ralph(['resume']).exited).toMatchObject({ code: 0 });
    expect(scene.starts()).toContain('agent 2/work/1');
    expect(scene.starts().filter((line) => line.startsWith('agent 1'))).toHaveLength(2);
  });

  test('and then SIGTERM ends the agent now', async () => {
    const scene = makeScene({ play, settings });
    const ralph = await atGate(scene);
    ralph.signal('SIGHUP');
    await ralph.says('The terminal was closed: the loop stops after this iteration.');
    ralph.signal('SIGTERM');
    expect(await ralph.exited).toMatchObject({ code: 130 });
    expect(processesOf(scene.folder)).toEqual([]);
    expect(scene.starts()).toEqual(['agent 1/work/1', 'at gate 1/work/1']);
  });

  test('ends a back-off at once', async () => {
    const scene = makeScene({ play: 'exit 1', settings: { failureBackoffMs: 3_600_000 } });
    const ralph = scene.ralph(['run', '-p', PROMPT]);
    await ralph.says('Agent failed (exit 1)');
    ralph.signal('SIGHUP');
    expect(await ralph.exited).toMatchObject({ code: 130 });
  });
});

describe('the second signal', () => {
  const family = 'setsid tail -f "$SCENE/work/work.txt" & tail -f "$SCENE/work/work.txt" >/dev/null &';

  test.each(levels)('ends the whole process tree now: exit 130, nothing left (containment "%s")', async (level) => {
    const play = `${family} case $RALPH_KEY in */1) at_gate ;; esac; ${DONE}`;
    const scene = makeScene({ level, play });
    const ralph = await atGate(scene);
    await twice(ralph, 'SIGINT');
    await ralph.says('Stopping now; what still runs has up to 5 seconds to clean up.');
    expect(await ralph.exited).toMatchObject({ code: 130 });
    expect(processesOf(scene.folder)).toEqual([]);
    expect(scene.journal().at(-2)).toMatchObject({ key: '1/work/1/await', result: { kind: 'interrupted' } });
    expect(await scene.ralph(['resume']).exited).toMatchObject({ code: 0 });
    expect(scene.starts()).toEqual(['agent 1/work/1', 'at gate 1/work/1', 'agent 1/work/2']);
  });

  test('ends an agent that ignores SIGTERM, with everything it started, at every containment level', async () => {
    const deaf = `trap '' TERM INT HUP; tail -f "$SCENE/work/work.txt" & echo deaf >>"$SCENE/starts.log"; while :; do sleep 1; done`;
    const ends = await Promise.all(
      levels.map(async (level) => {
        const scene = makeScene({ level, play: deaf });
        const ralph = scene.ralph(['run', '-p', PROMPT]);
        await scene.logged('deaf');
        await twice(ralph, 'SIGTERM');
        const { code } = await ralph.exited;
        return { level, code, left: processesOf(scene.folder) };
      }),
    );
    expect(ends).toEqual(levels.map((level) => ({ level, code: 130, left: [] })));
  });

  test('ends a guardrail; resume runs it again, but not the agent', async () => {
    const scene = makeScene({ play: DONE, settings: { guardrails: [{ command: GATED, failAction: 'APPEND' }] } });
    const ralph = scene.ralph(['run', '-p', PROMPT]);
    await scene.logged('check 1');
    await twice(ralph, 'SIGINT');
    expect(await ralph.exited).toMatchObject({ code: 130 });
    expect(await scene.ralph(['resume']).exited).toMatchObject({ code: 0 });
    expect(scene.starts()).toEqual(['agent 1/work/1', 'check 1', 'check 2']);
  });

  test('ends a commit in the middle; resume makes it exactly once', async () => {
    const scm = { command: 'git', tasks: ['commit'] };
    const scene = makeScene({ play: `echo line >>work.txt; ${DONE}`, settings: { scm } });
    const hook = '#!/bin/sh\necho committing >>"$SCENE/starts.log"; [ -e "$SCENE/second" ] || read x <"$SCENE/gate"\n';
    scene.write('work/.git/hooks/pre-commit', hook);
    await scene.shell('chmod +x .git/hooks/pre-commit');
    const ralph = scene.ralph(['run', '-p', PROMPT]);
    await scene.logged('committing');
    await twice(ralph, 'SIGINT');
    expect(await ralph.exited).toMatchObject({ code: 130 });
    expect(scene.git('log', '--format=%s')).toBe('begin\n');
    scene.write('second', '');
    expect(await scene.ralph(['resume']).exited).toMatchObject({ code: 0 });
    expect(scene.git('log', '--format=%s')).toBe('Commit of iteration 1\nbegin\n');
    expect(scene.starts().filter((line) => line.startsWith('agent'))).toEqual(['agent 1/work/1', 'agent 1/message/1']);
  });
});

async function atGate(scene: Scene): Promise<Program> {
  const ralph = scene.ralph(['run', '-p', PROMPT]);
  await scene.logged('at gate 1/work/1');
  await scene.journalSays('"kind":"started"');
  return ralph;
}

async function twice(ralph: Program, signal: NodeJS.Signals): Promise<void> {
  ralph.signal(signal);
  // Two pending signals of the same kind would be delivered as one.
  await ralph.says('Stopping after this step');
  ralph.signal(signal);
}
