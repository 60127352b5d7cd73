/** `ralph resume` after the supervisor was killed: finished work counts, the rest is done, nothing is done twice. */
import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { levelsToTest } from '../support/levels.ts';
import { processesOf } from '../support/programs/processes.ts';
import { DONE, makeScene, PROMPT, type Scene } from '../support/scene.ts';

/** The first try waits at a gate that stays closed; a second one that runs at the same time logs "overlap". */
const ONE_AT_A_TIME = `exec 9>>"$SCENE/lock"; flock -n 9 || echo overlap >>"$SCENE/starts.log"
  case $RALPH_KEY in 1/work/1) at_gate ;; esac; ${DONE}`;

describe.each(levelsToTest())('an agent whose supervisor was killed, contained by "%s"', (level) => {
  test('is judged by its transcript, and not repeated, if it had given its final result', async () => {
    const play = 'claude_says "It is <response>DONE</response>"; claude_result "It is done"; at_gate';
    const scene = makeScene({ level, agent: 'claude', play });
    await killedAtGate(scene);
    expect(processesOf(scene.folder)).not.toEqual([]);
    const { code, stdout, stderr } = await scene.ralph(['resume']).exited;
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^Resuming .*\n[\s\S]*\n {2}loop .*\n\nBefore it continues:\n[\s\S]*\n── 1\/1, continued ──+\n(?:Terminated\n)?Usage: /,
    );
    expect(stdout).toContain('It is <response>DONE</response>\n');
    expect(scene.starts()).toEqual(['agent 1/work/1', 'at gate 1/work/1']);
    expect(scene.journal().map(({ result }) => result)).toContainEqual(
      expect.objectContaining({ kind: 'ran', outcome: { kind: 'worked' } }),
    );
  });

  test('is ended if it had not, and the same iteration starts again under a new key', async () => {
    const scene = makeScene({ level, play: ONE_AT_A_TIME });
    await killedAtGate(scene);
    const { code, stderr } = await scene.ralph(['resume']).exited;
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /\n {2}loop .*\n\n── 1\/1, continued ──+\n[^─]*! The agent was interrupted: it was still running and was ended; it starts again\n/,
    );
    expect(stderr).toContain('── 1/1, try 2 ──');
    expect(scene.starts()).toEqual(['agent 1/work/1', 'at gate 1/work/1', 'agent 1/work/2']);
  });
});

test.each([
  ['', []],
  [', also where the resume changes something', ['-m', '5', '--max-time', '10h']],
])('the time that a killed supervisor worked counts, but not time without a supervisor%s', async (_how, changes) => {
  const scene = makeScene({ play: ONE_AT_A_TIME });
  await killedAtGate(scene);
  // As if the loop had begun an hour ago, and the last sign of life of its supervisor came ten minutes later.
  const [hour, minutes] = [3_600_000, 600_000];
  const records = scene.journal();
  const lastAt = (records.at(-1)?.at ?? 0) - hour;
  const aged = records.map((record) => JSON.stringify({ ...record, at: record.at - hour }));
  writeFileSync(scene.journalFile(), `${aged.join('\n')}\n`);
  writeFileSync(join(dirname(scene.journalFile()), 'alive'), `${lastAt + minutes}\n`);
  expect((await scene.ralph(['resume', ...changes]).exited).code).toBe(0);
  const { stdout } = await scene.ralph(['ls', '--json']).exited;
  const [{ workedMs }] = JSON.parse(stdout) as [{ workedMs: number }];
  expect(workedMs).toBeGreaterThanOrEqual(minutes);
  expect(workedMs).toBeLessThan(hour);
});

test('an agent that ended while no supervisor was running is judged by its transcript, too', async () => {
  const play = 'claude_says "<response>DONE</response>"; claude_result "x"; at_gate; echo over >>"$SCENE/starts.log"';
  const scene = makeScene({ agent: 'claude', play });
  await killedAtGate(scene);
  scene.openGate();
  await scene.logged('over');
  expect(await scene.ralph(['resume']).exited).toMatchObject({ code: 0 });
  expect(scene.starts()).toEqual(['agent 1/work/1', 'at gate 1/work/1', 'over']);
});

test('an agent that ended by itself without a final result is not reported as ended by us', async () => {
  const play =
    'case $RALPH_KEY in 1/work/1) at_gate; echo over >>"$SCENE/starts.log" ;; *) echo "<response>DONE</response>" ;; esac';
  const scene = makeScene({ play });
  await killedAtGate(scene);
  await scene.letGo();
  const { code, stderr } = await scene.ralph(['resume']).exited;
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining(
      'The agent was interrupted: it ended while no supervisor was running, without a final result\n',
    ),
  });
});

test('a final result that reports an error counts as a failed iteration', async () => {
  const play = `echo '{"type":"result","is_error":true,"result":"<response>DONE</response>"}'; at_gate`;
  const scene = makeScene({ agent: 'claude', play });
  await killedAtGate(scene);
  const { code, stderr } = await scene.ralph(['resume']).exited;
  expect(code).toBe(1);
  expect(stderr).toContain('Agent failed (ended unseen: it reported an error: ');
});

test('a new loop in the directory never works at the same time as the agent of a killed one', async () => {
  const scene = makeScene({ play: ONE_AT_A_TIME });
  await killedAtGate(scene);
  scene.write('play', ONE_AT_A_TIME.replace('at_gate', 'true'));
  // It can either end that agent or refuse to start.
  await scene.run('-m', '1');
  await scene.letGo();
  expect(scene.starts()).not.toContain('overlap');
});

/** The arguments of the `ralph resume` command in the closing lines. */
function printedCommand(stderr: string): string[] {
  const [, command = ''] = /^ {2}ralph (resume .*?)(?: {2}|$)/m.exec(stderr) ?? [];
  return command.split(' ');
}

describe('the loop that is resumed', () => {
  test('can be named by its id, from any directory', async () => {
    const scene = makeScene({ play: `${ONE_AT_A_TIME}; pwd >"$SCENE/where"` });
    await killedAtGate(scene);
    const [id = ''] = scene.loops();
    expect(await scene.ralph(['resume', id], scene.folder).exited).toMatchObject({ code: 0 });
    expect(scene.read('where')).toBe(`${scene.work}\n`);
    expect(scene.promptOf('1/work/2')).toBe(PROMPT);
  });

  test('is refused if its directory is gone, and continues when it is back', async () => {
    const scene = makeScene({ play: '[ "$n" = 2 ] && echo "<response>DONE</response>"' });
    expect((await scene.run('-m', '1')).code).not.toBe(0);
    const [id = ''] = scene.loops();
    renameSync(scene.work, `${scene.work}-moved`);
    const { code, stderr } = await scene.ralph(['resume', id, '-m', '2'], scene.folder).exited;
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: the folder of loop ${id.slice(-8, -4)} is gone: ${scene.work}\nhint: Move it back, or start a new loop where it is now: ralph run "…"\n`,
    });
    renameSync(`${scene.work}-moved`, scene.work);
    expect(await scene.ralph(['resume', id, '-m', '2'], scene.folder).exited).toMatchObject({ code: 0 });
  });

  test('must exist: exit 2 and a hint', async () => {
    const scene = makeScene({ play: DONE });
    for (const args of [['resume'], ['resume', 'no-such-loop'], ['resume', '../../work']]) {
      const { code, stderr } = await scene.ralph(args).exited;
      expect(code).toBe(2);
      expect(stderr).toMatch(/^error: there is no (unfinished )?loop .*\nhint: Start one: ralph run/);
    }
    expect(scene.starts()).toEqual([]);
  });

  test('continues after reaching its limit with the command that it printed', async () => {
    const scene = makeScene({ play: `[ $n = 3 ] && ${DONE}` });
    const { code, stderr } = await scene.run('-m', '2');
    expect(code).toBe(1);
    expect(await scene.ralph(printedCommand(stderr)).exited).toMatchObject({ code: 0 });
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 2/work/1', 'agent 3/work/1']);
    expect(scene.loops()).toHaveLength(1);
  });

  test('is the newest that is not done, however it ended; the first line names it', async () => {
    const scene = makeScene({ play: `case $prompt in *A*) [ -e "$SCENE/go" ] && ${DONE} ;; *) ${DONE} ;; esac; true` });
    expect(await scene.ralph(['run', '-p', 'Task A\nand more', '-m', '1']).exited).toMatchObject({ code: 1 });
    const [id = ''] = scene.loops();
    expect(await scene.ralph(['run', '-p', 'Task B']).exited).toMatchObject({ code: 0 });
    scene.write('go', '');
    const { code, stderr } = await scene.ralph(['resume', '-m', '3']).exited;
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(new RegExp(`^Resuming ${id.slice(-8, -4)} \\(iteration 2 of 3\\): Task A\\n`)),
    });
  });

  test('is refused if it has reached its new limit already, and nothing is recorded', async () => {
    const scene = makeScene({ play: 'true' });
    await scene.run('-m', '2');
    const before = scene.read(journalIn(scene));
    const { code, stderr } = await scene.ralph(['resume', '-m', '2']).exited;
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: 2 iterations were already made: -m must be higher\nhint: For example: ralph resume -m 4\n',
    });
    expect(scene.read(journalIn(scene))).toBe(before);
  });

  test('continues once its missing agent is back', async () => {
    const scene = makeScene({ play: `[ $n = 1 ] && mv "$SCENE/bin/agent" "$SCENE/bin/away" || ${DONE}` });
    const { code, stderr } = await scene.run();
    expect(code).toBe(2);
    const again = await scene.ralph(printedCommand(stderr)).exited;
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('error: agent command not found: ') });
    renameSync(join(scene.folder, 'bin/away'), join(scene.folder, 'bin/agent'));
    expect(await scene.ralph(printedCommand(stderr)).exited).toMatchObject({ code: 0 });
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 2/work/2']);
  });

  test('is not run again if it is done: it says how it ended', async () => {
    const scene = makeScene({ play: DONE });
    await scene.run();
    const before = scene.read(journalIn(scene));
    expect(await scene.ralph(['resume']).exited).toMatchObject({ code: 2 });
    const [id = ''] = scene.loops();
    const { code, stderr } = await scene.ralph(['resume', id]).exited;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('\n✓ Done in 1 iteration · ') });
    expect(scene.starts()).toEqual(['agent 1/work/1']);
    expect(scene.read(journalIn(scene))).toBe(before);
  });

  test('is refused, with its pid, if it is running', async () => {
    const scene = makeScene({ play: `at_gate; ${DONE}` });
    const first = scene.ralph(['run', '-p', PROMPT]);
    await scene.logged('at gate 1/work/1');
    const { code, stderr } = await scene.ralph(['resume']).exited;
    expect(code).toBe(2);
    expect(stderr).toContain(`is running (pid ${first.pid})`);
    scene.openGate();
    expect(await first.exited).toMatchObject({ code: 0 });
  });
});

describe('commands to a loop before it was resumed', () => {
  test('a pause that came too late for the last iteration no longer applies', async () => {
    const scene = makeScene({ play: `at_gate; [ $n = 2 ] && ${DONE}; true` });
    const first = scene.ralph(['run', '-p', PROMPT, '-m', '1']);
    await scene.logged('at gate 1/work/1');
    expect(await scene.ralph(['pause']).exited).toMatchObject({ code: 0 });
    scene.openGate();
    expect(await first.exited).toMatchObject({ code: 1 });
    const second = scene.ralph(['resume', '-m', '2']);
    await scene.logged('at gate 2/work/1');
    scene.openGate();
    expect(await second.exited).toMatchObject({ code: 0 });
  });

  test('a stop that a killed supervisor did not see no longer applies', async () => {
    const scene = makeScene({ play: ONE_AT_A_TIME });
    const first = scene.ralph(['run', '-p', PROMPT]);
    await scene.logged('at gate 1/work/1');
    expect(await scene.ralph(['stop']).exited).toMatchObject({ code: 0 });
    first.signal('SIGKILL');
    await first.exited;
    expect(await scene.ralph(['resume']).exited).toMatchObject({ code: 0 });
  });

  test('a stop that was carried out is no longer shown, and the next pause works', async () => {
    const scene = makeScene({ play: `at_gate; [ $n = 2 ] && ${DONE}; true` });
    const first = scene.ralph(['run', '-p', PROMPT]);
    await scene.logged('at gate 1/work/1');
    await scene.ralph(['stop']).exited;
    scene.openGate();
    expect(await first.exited).toMatchObject({ code: 130 });
    const second = scene.ralph(['resume']);
    await scene.logged('at gate 2/work/1');
    expect((await scene.ralph(['ls']).exited).stdout).toMatch(/^● .* working \(agent\) /m);
    await scene.ralph(['pause']).exited;
    expect((await scene.ralph(['ls']).exited).stdout).toMatch(/^● .* pausing /m);
    expect((await scene.ralph(['resume']).exited).stdout).toContain('Resumed loop');
    scene.openGate();
    expect(await second.exited).toMatchObject({ code: 0 });
  });
});

describe('the journal', () => {
  test('is repaired if its end is torn, and the torn part is kept', async () => {
    const scene = makeScene({ play: ONE_AT_A_TIME });
    await killedAtGate(scene);
    const whole = scene.journal().length;
    appendFileSync(scene.journalFile(), '{"v":1,"seq":3,"at":17');
    expect(await scene.ralph(['resume']).exited).toMatchObject({ code: 0 });
    expect(scene.journal().map(({ seq }) => seq)).toEqual(scene.journal().map((_, index) => index));
    expect(scene.journal().length).toBeGreaterThan(whole);
    const folder = dirname(scene.journalFile());
    const [torn = ''] = readdirSync(folder).filter((name) => name.startsWith('journal.jsonl.torn-'));
    expect(readFileSync(join(folder, torn), 'utf8')).toBe('{"v":1,"seq":3,"at":17');
    expect(statSync(join(folder, torn)).mode & 0o777).toBe(0o600);
  });

  test('is refused, not repaired, if it is damaged in the middle: exit 2 and a hint', async () => {
    const scene = makeScene({ play: ONE_AT_A_TIME });
    await killedAtGate(scene);
    const damaged = scene.read(journalIn(scene)).replace('"kind":"inputs"', '"kind":"inp');
    writeFileSync(scene.journalFile(), damaged);
    const { code, stderr } = await scene.ralph(['resume']).exited;
    expect(code).toBe(2);
    expect(stderr).toMatch(/journal\.jsonl is damaged at line 2/);
    expect(scene.read(journalIn(scene))).toBe(damaged);
    expect(scene.starts()).toHaveLength(2);
    await scene.letGo();
  });

  test.each([
    ['lost', (path: string) => rmSync(path)],
    ['emptied by a power cut', (path: string) => writeFileSync(path, '')],
  ])('is the source of truth: a status file that was %s changes nothing', async (_what, spoil) => {
    const scene = makeScene({ play: ONE_AT_A_TIME });
    await killedAtGate(scene);
    spoil(join(dirname(scene.journalFile()), 'status.json'));
    const { code, stderr } = await scene.ralph(['resume']).exited;
    await scene.letGo();
    expect(stderr).not.toContain('this is a bug');
    expect(code).toBe(0);
  });
});

/** Starts a loop of one iteration, and kills the supervisor while the agent waits at the gate. */
async function killedAtGate(scene: Scene): Promise<void> {
  const ralph = scene.ralph(['run', '-p', PROMPT, '-m', '1']);
  await scene.logged('at gate 1/work/1');
  // The start must be on record before the kill.
  await scene.journalSays('"kind":"started"');
  ralph.signal('SIGKILL');
  expect(await ralph.exited).toMatchObject({ code: 'SIGKILL' });
}

function journalIn(scene: Scene): string {
  return scene.journalFile().slice(scene.folder.length + 1);
}

describe('ralph run where a loop could be continued', () => {
  const unfinished =
    /^! loop [0-9a-f]{4} here is unfinished \(1\/1\)\n {4}to continue it: ralph resume (\S+) -m 2; to drop it: ralph gc \1$/m;

  test('mentions that loop before its first iteration, with the command that continues it', async () => {
    const scene = makeScene({ play: `[ -e "$SCENE/later" ] && ${DONE} || true` });
    expect((await scene.run('-m', '1')).stderr).not.toContain('unfinished');
    const [first = ''] = scene.loops();
    const second = await scene.run('-m', '1');
    const [, short = ''] = unfinished.exec(second.stderr) ?? [];
    expect(first.slice(-8)).toMatch(new RegExp(`^${short}`));
    expect(second.stderr.search(unfinished)).toBeLessThan(second.stderr.search('── 1/1'));
    scene.write('later', '');
    const resumed = await scene.ralph(['resume', short, '-m', '2']).exited;
    expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining(`Resuming ${short} `) });
  });

  test('does not mention a loop that is done or running', async () => {
    const scene = makeScene({ play: `case "$prompt" in *wait*) at_gate ;; esac; ${DONE}` });
    await scene.run();
    expect((await scene.run()).stderr).not.toContain('unfinished');
    const running = scene.ralph(['run', '-p', 'wait']);
    await scene.logged('at gate 1/work/1');
    expect((await scene.run()).stderr).not.toContain('unfinished');
    scene.openGate();
    await running.exited;
  });
});
