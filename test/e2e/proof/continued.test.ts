/** A person can resume a loop whose claims were rejected, and allow edits of a path, or accept a flaky check. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sendCommand } from '../../../src/engine/control.ts';
import { DONE, makeScene, PROMPT } from '../../support/scene.ts';

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** Its check is a committed script that looks for the word `right`. */
function scene(play: string, check = 'sh test/check.sh') {
  const made = makeScene({ play });
  mkdirSync(join(made.work, 'test'));
  made.write('work/test/check.sh', 'grep -q right answer.txt\n');
  made.write('work/answer.txt', 'none\n');
  made.git('add', '--all');
  made.git('commit', '--quiet', '--message=A project');
  const prove = (...flags: string[]) => made.ralph(['run', '-p', PROMPT, '--check', check, ...flags]).exited;
  return { ...made, prove };
}

const CHEAT = `echo true >test/check.sh; echo $n >answer.txt; ${DONE}`;
const callsOf = ({ journal }: Pick<ReturnType<typeof scene>, 'journal'>) =>
  journal().filter(({ result }) => result.kind === 'started').length;

test('a tampered loop names the command that allows the edit, and proves the claim without an agent', async () => {
  const made = scene(CHEAT);
  const first = await made.prove('--prove');
  expect(first.code).toBe(9);
  const [, command = ''] = /^ {2}(ralph resume \S+ --allow-edit test\/check\.sh)(?: |$)/m.exec(first.stderr) ?? [];
  expect(command).not.toBe('');
  expect(callsOf(made)).toBe(3);

  const second = await made.shell(command);
  expect(second.code).toBe(0);
  expect(second.stderr).toMatch(/^✓ Done in 3 iterations · .* · proved in a clean checkout$/m);
  expect(second.stderr).toContain('The agent was allowed to change test/check.sh (--allow-edit).');
  expect(callsOf(made)).toBe(3);
});

test('a loop that is resumed without the flag counts such claims from zero', async () => {
  const made = scene(CHEAT);
  expect((await made.prove('--prove')).code).toBe(9);
  const { code, stderr } = await made.shell('ralph resume');
  expect(code).toBe(9);
  expect(stderr.match(/✗ DONE rejected: /g)).toHaveLength(3);
});

test('work that passes only with its new test is not tampering, and the test can be allowed', async () => {
  // Like a coverage threshold: there must be as many tests as files.
  const covered = 'test -e src/more && test "$(ls test | wc -l)" -gt "$(ls src | wc -l)"';
  const made = scene(`mkdir -p src; touch src/more; echo $n >test/more.test.js; ${DONE}`, covered);
  const first = await made.prove('--prove', '-m', '3');
  expect(first.stderr.match(/✗ DONE rejected: /g)).toHaveLength(3);
  expect(first.code).toBe(1);
  expect(made.promptOf('2/work/1')).toContain('a person can allow it (--allow-edit test/more.test.js)');
  const [, command = ''] = /^ {2}(ralph resume \S+ --allow-edit test\/more\.test\.js)(?: |$)/m.exec(first.stderr) ?? [];
  const second = await made.shell(command);
  expect({ code: second.code, stderr: second.stderr }).toMatchObject({ code: 0 });
  expect(callsOf(made)).toBe(3);
});

test('a loop that is resumed with --accept-flaky accepts a flaky check', async () => {
  // In a clean checkout, it fails every second time.
  const flaky = 'case $PWD in */proofs/*) echo >>"$SCENE/runs"; test $(($(wc -l <"$SCENE/runs") % 2)) = 1;; esac';
  const made = scene(`echo $n >answer.txt; ${DONE}`, flaky);
  const first = await made.prove('--prove', '-m', '1');
  expect(first.code).toBe(1);
  expect(inOneLine(first.stderr)).toContain('it is flaky');
  const [, command = ''] = /^ {2}(ralph resume \S+ --accept-flaky) /m.exec(first.stderr) ?? [];
  const second = await made.shell(command);
  expect(second.code).toBe(0);
  // It is still the first iteration, which is proved again.
  expect(second.stderr).toContain('── 1/1, continued ');
  expect(second.stderr).toMatch(/^ +1 +done +2 ✓/m);
  expect(callsOf(made)).toBe(1);
});

test('a loop whose setup failed before the first iteration can be resumed with a fixed one', async () => {
  const made = scene(`echo right >answer.txt; ${DONE}`);
  const settings = (setup: string): void => {
    made.write('work/.ralph/settings.json', JSON.stringify({ agent: { command: 'agent' }, proof: { setup } }));
  };
  mkdirSync(join(made.work, '.ralph'), { recursive: true });
  settings('exit 7');
  expect((await made.prove()).code).toBe(2);
  settings('true');
  const { code, stderr } = await made.shell('ralph resume');
  expect(stderr).toContain('clean checkout before the first iteration: true ✓');
  expect(code).toBe(0);
});

test('a loop without --prove refuses the flags', async () => {
  const made = scene(`echo $n >answer.txt; ${DONE}`);
  expect((await made.prove('-m', '1')).code).toBe(1);
  const { code, stderr } = await made.shell('ralph resume --allow-edit test -m 2');
  expect(code).toBe(2);
  expect(stderr).toContain('this loop proves nothing');
});

describe('checks that the agent changes in the settings', () => {
  const settings = (command: string) => ({ proof: {}, guardrails: [{ command, failAction: 'APPEND' }] });
  /** The agent weakens the check in the settings, as it can without a sandbox, and does no work. */
  const weakened = (play = '') => {
    const check = 'grep -q right answer.txt';
    const made = makeScene({
      play: `echo $n >answer.txt; sed -i 's/${check}/true/' .ralph/settings.json; ${play} ${DONE}`,
      settings: settings(check),
    });
    made.write('work/answer.txt', 'none\n');
    made.git('add', '--all');
    made.git('commit', '--quiet', '--message=A project');
    return made;
  };
  const ACCEPT = /ralph resume \S+ -m 2 --allow-edit \.ralph\/settings\.json/;

  test('are refused on resume, which names the command that accepts them; later output mentions them', async () => {
    const made = weakened();
    expect((await made.run('-m', '1')).code).toBe(1);
    const { code, stderr } = await made.shell('ralph resume -m 2');
    expect(code).toBe(2);
    expect(stderr).toContain(
      'error: the settings have other checks than the loop began with: true (it began with grep -q right answer.txt)',
    );
    const [command = ''] = ACCEPT.exec(stderr) ?? [];
    const accepted = await made.shell(command);
    expect(accepted.stderr).toContain('The checks were changed since the loop began with: grep -q right answer.txt.');
    expect(accepted.stderr).toContain('The agent was allowed to change .ralph/settings.json (--allow-edit).');
    expect(accepted.code).toBe(0);
    const { stdout } = await made.shell('ralph receipt');
    expect(stdout).toMatch(/^ {2}check +true: exit 0/m);
    expect(stdout).toMatch(/^ {2}at start +other checks: grep -q right answer\.txt$/m);
  });

  test('are refused even if the loop was killed', async () => {
    const made = weakened('case $n in 1) at_gate ;; esac;');
    const first = made.ralph(['run', '-p', PROMPT, '-m', '2']);
    await made.logged('at gate 1/work/1');
    first.signal('SIGKILL');
    await first.exited;
    await made.letGo();
    const { code, stderr } = await made.shell('ralph resume');
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('other checks') });
  });

  test('are ignored after a pause, and a line says so', async () => {
    const made = weakened('case $n in 1) at_gate ;; esac;');
    const loop = made.ralph(['run', '-p', PROMPT, '-m', '2']);
    await made.logged('at gate 1/work/1');
    const folder = dirname(made.journalFile());
    sendCommand(folder, 'pause');
    made.openGate();
    await made.journalSays('"command":"pause"');
    sendCommand(folder, 'resume');
    const { code, stderr } = await loop.exited;
    expect(code).toBe(1);
    expect(inOneLine(stderr)).toContain(
      '.ralph/settings.json has changed; the loop proves its work, and keeps the settings it started with',
    );
  });

  test('are ignored with --live-settings, and a line says so', async () => {
    const { code, stderr } = await weakened().run('-m', '2', '--live-settings');
    expect(code).toBe(1);
    expect(inOneLine(stderr)).toContain('.ralph/settings.json has changed; the loop keeps the checks it started with');
  });

  test('other changed settings are used on resume', async () => {
    const made = weakened();
    expect((await made.run('-m', '1')).code).toBe(1);
    made.write(
      'work/.ralph/settings.json',
      JSON.stringify({ agent: { command: 'agent' }, maximumIterations: 7, ...settings('grep -q right answer.txt') }),
    );
    made.write('play', `echo right >answer.txt; ${DONE}`);
    expect((await made.shell('ralph resume -m 2')).code).toBe(0);
  });
});
