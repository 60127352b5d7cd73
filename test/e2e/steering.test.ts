/** What `ralph ls` and `ralph status` show of interrupted loops and queued messages; `--now` in checks and commits. */
import { describe, expect, test } from 'vitest';
import { DONE, makeScene, type Scene } from '../support/scene.ts';
import { openTerminal } from '../support/terminal/terminal.ts';

const AGENT_AT_GATE = `at_gate; ${DONE}`;

async function shown({ ralph }: Scene, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await ralph(args).exited;
  if (code !== 0) throw new Error(`ralph ${args.join(' ')}: exit ${code}\n${stderr}`);
  return stdout;
}

async function data(scene: Scene, ...args: readonly string[]): Promise<unknown> {
  return JSON.parse(await shown(scene, ...args, '--json'));
}

describe('a loop without a supervisor', () => {
  test('that was interrupted by Ctrl-C is listed so, with the command that continues it', async () => {
    const scene = makeScene({ play: AGENT_AT_GATE });
    const terminal = openTerminal(scene, 'ralph run -p "Do it."');
    await scene.logged('at gate 1/work/1');
    terminal.press('C-c');
    await terminal.shows('Received signal');
    scene.openGate();
    expect((await terminal.ended()).code).toBe(130);
    expect(await shown(scene, 'ls')).toMatch(/^✗ (\w{4,}) .* stopped by Ctrl-C .* ralph resume \1 · Do it\.$/m);
    const status = await shown(scene, 'status');
    expect(status).toContain(' · stopped by Ctrl-C\n');
    expect(status).toMatch(/^ {2}ralph resume \w+ +continue$/m);
    expect(await data(scene, 'status')).toMatchObject({ leaving: { is: 'left', by: 'SIGINT' } });
    expect(scene.journal().at(-1)?.result).toEqual({ kind: 'left', by: 'SIGINT' });
    expect((await scene.ralph(['resume']).exited).code).toBe(0);
  });

  test('that was killed is listed with "supervisor died"', async () => {
    const scene = makeScene({ play: AGENT_AT_GATE });
    const ralph = scene.ralph(['run', '-p', 'Do it.']);
    await scene.logged('at gate 1/work/1');
    ralph.signal('SIGKILL');
    await ralph.exited;
    expect(await shown(scene, 'ls')).toMatch(/^✗ (\w{4,}) .* supervisor died .* ralph resume \1 · Do it\.$/m);
    await scene.letGo();
  });

  test.each([
    ['SIGTERM', 'interrupted'],
    ['SIGHUP', 'terminal closed'],
  ] as const)('that ended by %s is listed with "%s"', async (signal, words) => {
    const scene = makeScene({ play: 'at_gate' });
    const ralph = scene.ralph(['run', '-p', 'Do it.', '-m', '2']);
    await scene.logged('at gate 1/work/1');
    ralph.signal(signal);
    await ralph.says(signal === 'SIGHUP' ? 'The terminal was closed' : 'Received');
    scene.openGate();
    expect((await ralph.exited).code).toBe(130);
    expect(await shown(scene, 'ls')).toMatch(
      new RegExp(`^✗ (\\w{4,}) .* ${words} .* ralph resume \\1 · Do it\\.$`, 'm'),
    );
  });
});

test('messages that wait for the next prompt are shown until an agent gets them', async () => {
  const scene = makeScene({ play: `at_gate; [ $n = 2 ] && { at_gate; ${DONE}; }` });
  const ralph = scene.ralph(['run', '-p', 'Do it.']);
  await scene.logged('at gate 1/work/1');
  await shown(scene, 'tell', 'Use tabs.');
  await shown(scene, 'tell', 'Keep it short.');
  expect(await shown(scene, 'ls')).toMatch(/^● .* 2 messages · Do it\.$/m);
  expect(await shown(scene, 'status')).toContain('  next prompt tell: Use tabs.\n              tell: Keep it short.\n');
  const messages = [
    { as: 'tell', text: 'Use tabs.' },
    { as: 'tell', text: 'Keep it short.' },
  ];
  expect(await data(scene, 'ls')).toMatchObject([{ messages }]);
  expect(await data(scene, 'status')).toMatchObject({ messages });
  scene.openGate();
  await scene.logged('at gate 2/work/1');
  expect(await data(scene, 'ls')).toMatchObject([{ messages: [] }]);
  expect(await shown(scene, 'ls')).not.toContain('message');
  scene.openGate();
  scene.openGate();
  expect((await ralph.exited).code).toBe(0);
});

/** A check that logs its first run and then waits; later runs pass. */
const CHECK =
  'test -e "$SCENE/checked" || { touch "$SCENE/checked"; echo "at check" >>"$SCENE/starts.log"; sleep 600; }';
const CHECKED = { guardrails: [{ command: CHECK, failAction: 'APPEND' }], scm: { command: 'git', tasks: ['commit'] } };
const WORKS = `echo work >>work.txt; ${DONE}`;

describe('--now', () => {
  test('stops a loop in its check: nothing is committed, and resume runs the check again', async () => {
    const scene = makeScene({ play: WORKS, settings: CHECKED });
    const ralph = scene.ralph(['run', '-p', 'Do it.', '-m', '3']);
    await scene.logged('at check');
    expect(await shown(scene, 'stop', '--now')).toMatch(/^Loop \w+ stops now; its check is ended\.\n/);
    const { code, stdout } = await ralph.exited;
    expect(code).toBe(130);
    expect(stdout).not.toContain('✗');
    expect(scene.journal().map(({ result }) => result.kind)).not.toContain('checked');
    expect(scene.journal().at(-1)?.result).toEqual({ kind: 'ended', ending: { kind: 'stopped' } });
    expect(scene.git('log', '--format=%s').trim().split('\n')).toHaveLength(1);
    expect(await shown(scene, 'show')).toMatch(/ interrupted$/m);
    const resumed = await scene.ralph(['resume']).exited;
    expect(resumed.code).toBe(0);
    // The agent does not do its work again.
    expect(scene.starts().filter((line) => line.includes('/work/'))).toEqual(['agent 1/work/1']);
    expect(scene.git('log', '--format=%s').trim().split('\n')).toHaveLength(2);
  });

  test('pauses a loop in its check, and resume starts with the check', async () => {
    const scene = makeScene({ play: WORKS, settings: CHECKED });
    const ralph = scene.ralph(['run', '-p', 'Do it.', '-m', '3']);
    await scene.logged('at check');
    await shown(scene, 'pause', '--now');
    await scene.journalSays('"command":"pause"');
    expect(await shown(scene, 'ls')).toMatch(/^◐ .* paused /m);
    await shown(scene, 'resume');
    expect((await ralph.exited).code).toBe(0);
    const checks = scene.journal().flatMap(({ result }) => (result.kind === 'checked' ? [result.outcome.is] : []));
    expect(checks).toEqual(['passed']);
    expect(scene.starts().filter((line) => line.includes('/work/'))).toHaveLength(1);
  });

  test('ends the agent that writes a commit message; nothing is committed until the loop is resumed', async () => {
    const message = '[ -e "$SCENE/asked" ] || { touch "$SCENE/asked"; at_gate; }; echo "<response>Done it</response>"';
    const settings = { scm: { command: 'git', tasks: ['commit'] } };
    const scene = makeScene({ play: WORKS, message, settings });
    const ralph = scene.ralph(['run', '-p', 'Do it.', '-m', '3']);
    await scene.logged('at gate 1/message/1');
    expect(await shown(scene, 'stop', '--now')).toMatch(
      /^Loop \w+ stops now; the agent that writes its commit message is ended\.\n/,
    );
    expect((await ralph.exited).code).toBe(130);
    expect(scene.git('log', '--format=%s').trim().split('\n')).toHaveLength(1);
    expect((await scene.ralph(['resume']).exited).code).toBe(0);
    expect(scene.git('log', '-1', '--format=%s').trim()).toBe('Done it');
    expect(scene.starts().filter((line) => line.includes('/work/'))).toHaveLength(1);
  });
});

/** The lines that the terminal had to wrap. */
const tooWide = (screen: string, columns: number): string[] =>
  screen.split('\n').filter((line) => [...line].length > columns);

test.each([80, 40])('at %i columns, no line of a loop or of its views wraps', async (columns) => {
  const settings = {
    guardrails: [{ command: 'test $n-of-the-iterations-that-there-are = 2', failAction: 'APPEND' }],
    scm: { command: 'git', tasks: ['commit'] },
  };
  const scene = makeScene({ play: WORKS, settings });
  const prompt = 'Fix the failing tests of the module that greets people, and say <response>DONE</response> then.';
  const run = openTerminal(scene, `unset PS1; ralph run -m 2 -p "${prompt}"`, { columns });
  // Paths stay whole, so that they can be copied.
  const shownPath = /^ {4}\.ralph\/|\.log\)\.$|^ {2}agent +\//;
  const isFree = (line: string): boolean => !shownPath.test(line);
  expect(tooWide((await run.ended()).screen, columns).filter(isFree)).toEqual([]);
  run.close();
  const looks = ['ralph ls', 'ralph status', 'ralph show', 'ralph logs'];
  const look = openTerminal({ ...scene, folder: scene.work }, looks.join('; '), { columns });
  expect(tooWide((await look.ended()).screen, columns).filter(isFree)).toEqual([]);
});
