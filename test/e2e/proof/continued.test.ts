/** A loop whose claims a proof rejects is continued with what a person lets through: a path that is freed, or a flaky check. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DONE, makeScene, PROMPT } from '../../support/scene.ts';

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** Its check is a committed script that wants the word `right`. */
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

test('one that ended as tampered names the command that frees the file; with it the claim is proved again without an agent', async () => {
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

test('continued without it, the loop counts such claims from the start', async () => {
  const made = scene(CHEAT);
  expect((await made.prove('--prove')).code).toBe(9);
  const { code, stderr } = await made.shell('ralph resume');
  expect(code).toBe(9);
  expect(stderr.match(/✗ DONE rejected: /g)).toHaveLength(3);
});

test('a flaky check is accepted by a loop that is continued so', async () => {
  // In a clean checkout it fails every second time.
  const flaky = 'case $PWD in */proofs/*) echo >>"$SCENE/runs"; test $(($(wc -l <"$SCENE/runs") % 2)) = 1;; esac';
  const made = scene(`echo $n >answer.txt; ${DONE}`, flaky);
  const first = await made.prove('--prove', '-m', '1');
  expect(first.code).toBe(1);
  expect(inOneLine(first.stderr)).toContain('it is flaky');
  const [, command = ''] = /^ {2}(ralph resume \S+ --accept-flaky) /m.exec(first.stderr) ?? [];
  const second = await made.shell(command);
  expect(second.code).toBe(0);
  // It is still the first iteration, whose proof is another one now.
  expect(second.stderr).toContain('── 1/1, continued ');
  expect(second.stderr).toMatch(/^ +1 +done +2 ✓/m);
  expect(callsOf(made)).toBe(1);
});

test('a setup that fails before the first iteration is set right in the settings, and the loop continued', async () => {
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

test('a loop that proves nothing takes neither flag', async () => {
  const made = scene(`echo $n >answer.txt; ${DONE}`);
  expect((await made.prove('-m', '1')).code).toBe(1);
  const { code, stderr } = await made.shell('ralph resume --allow-edit test -m 2');
  expect(code).toBe(2);
  expect(stderr).toContain('this loop proves nothing');
});
