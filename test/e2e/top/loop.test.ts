/** One loop in `ralph top`: its tabs agree with the journal and the work tree, and keys act on it. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DONE, makeScene, PROMPT, type Scene } from '../../support/scene.ts';
import { openTerminal, type Terminal } from '../../support/terminal/terminal.ts';

const SIZE = { columns: 120, rows: 40 };

async function openTop(scene: Scene, line = 'ralph top'): Promise<Terminal> {
  const terminal = openTerminal(scene, line, SIZE);
  await terminal.shows('ralph top   1 loop');
  return terminal;
}

test('the tabs of a loop show its stream, checks with logs, diff, commits, costs and timeline', async () => {
  const check = 'test "$(wc -l <work.txt)" -ge 3 || { echo "three lines were expected"; exit 1; }';
  const scene = makeScene({
    play: `echo "line $n" >>work.txt; echo "I wrote line $n."; ${DONE}`,
    settings: { guardrails: [{ command: check, failAction: 'APPEND' }], scm: { command: 'git', tasks: ['commit'] } },
  });
  expect((await scene.run()).code).toBe(0);
  const commit = scene.git('rev-parse', '--short=7', 'HEAD').trim();
  const terminal = await openTop(scene);
  await terminal.shows('I wrote line 2.');
  terminal.press('Enter');
  await terminal.until((screen) => /^ \w{4} · run · /.test(screen) && screen.includes('iteration 2/10'));

  terminal.press('Tab');
  await terminal.until((screen) => /✓ +2 +test .*\n(?:.*\n)+.*✗ +1 +test .* exit 1/.test(screen));
  await terminal.shows('It printed nothing.');
  terminal.press('j');
  await terminal.until((screen) => /▸ ✗ +1 .*\n +three lines were expected/.test(screen));
  terminal.press('o');
  await terminal.until((screen) => screen.startsWith('three lines were expected\n'));
  terminal.press('q');
  await terminal.shows('Esc back');

  terminal.press('d');
  await terminal.until((screen) => screen.includes('iteration 2') && screen.includes('+line 2'));
  expect(terminal.screen()).not.toContain('+line 1');
  terminal.press('[');
  await terminal.until((screen) => screen.includes('iteration 1') && screen.includes('+line 1'));
  terminal.press('[');
  await terminal.until((screen) => screen.includes('all changes') && /\+line 1\n +\+line 2/.test(screen));

  terminal.press('Tab');
  await terminal.until((screen) => new RegExp(`${commit} .* iteration 2`).test(screen));
  terminal.press('Tab');
  await terminal.until((screen) => /all +3 +–/.test(screen));
  terminal.press('Tab');
  await terminal.until((screen) => screen.includes('DONE rejected') && screen.includes(`done → ${commit}`));

  terminal.press('1');
  await terminal.shows('I wrote line 2.');
  terminal.press('/');
  terminal.type('line 1');
  await terminal.until((screen) => screen.includes('I wrote line 1.') && !screen.includes('search:'));
  terminal.press('Escape');
  await terminal.shows('LOOP');
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
});

test('d shows the newest completed iteration while the next one is running', async () => {
  const scene = makeScene({ play: `echo "line $n" >>work.txt; case $n in 1) ;; *) at_gate; ${DONE} ;; esac` });
  const ralph = scene.ralph(['run', '-p', PROMPT]);
  await scene.logged('at gate 2/work/1');
  const terminal = await openTop(scene);
  await terminal.until((screen) => /working .* 2\/10 /.test(screen));
  terminal.press('d');
  await terminal.until((screen) => screen.includes('iteration 1 ') && screen.includes('+line 1'));
  terminal.press(']');
  terminal.press('[');
  await terminal.until((screen) => screen.includes('all changes') && screen.includes('+line 1'));
  expect(terminal.screen()).not.toContain('+line 2');
  scene.openGate();
  await ralph.exited;
  await terminal.until((screen) => / done /.test(screen));
  terminal.press('d');
  await terminal.until((screen) => screen.includes('iteration 2 ') && screen.includes('+line 2'));
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
});

test("the agent's own commits are listed along with those of the loop", async () => {
  const commit = (what: string): string => `echo ${what} >>work.txt; git commit --quiet --all --message=${what}`;
  const scene = makeScene({
    play: `case $n in 1) ${commit('one')}; ${commit('two')} ;; 2) ;; *) ${commit('three')}; echo left >>work.txt; ${DONE} ;; esac`,
    settings: { scm: { command: 'git', tasks: ['commit'] } },
  });
  const head = (name = 'HEAD'): string => scene.git('rev-parse', '--short=7', name).trim();
  const begin = head();
  expect((await scene.run()).code).toBe(0);
  const [two, three, last] = [head('HEAD~2'), head('HEAD~1'), head()];
  const terminal = await openTop(scene);
  await terminal.shows(' done ');
  terminal.press('Enter');
  terminal.press('4');
  const rows = [
    `${last} .* iteration 3  loop `,
    `${two}\\.\\.${three} .* iteration 3  agent`,
    `${begin}\\.\\.${two} .* iteration 1  agent .* 1 file changed`,
  ];
  await terminal.until((screen) => new RegExp(rows.map((row) => ` ${row}.*\\n`).join('')).test(screen));
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
  const show = (await scene.shell('ralph show')).stdout;
  for (const of of [`${begin}..${two}`, `${two}..${three}`]) expect(show).toContain(` · agent moved HEAD ${of}\n`);
  expect(show).toContain(` done → ${last}\n`);
  expect((await scene.shell('ralph report')).stdout).toContain(
    `${begin}..${two} (agent) ${two}..${three} (agent) ${last}\n`,
  );
});

test('a check log that is longer than the screen shows its end, and can be scrolled and searched', async () => {
  const command = 'i=1; while [ $i -le 30 ]; do echo "said $i"; i=$((i + 1)); done; exit 1';
  const scene = makeScene({ play: DONE, settings: { guardrails: [{ command, failAction: 'APPEND' }] } });
  await scene.run('-m', '2');
  const terminal = openTerminal(scene, 'ralph top', { columns: 80, rows: 24 });
  await terminal.shows('q quit');
  terminal.press('Enter');
  terminal.press('2');
  // The line of the check stays visible above the end of its log.
  await terminal.until((screen) => /^ ▸ ✗ +2 .*\n +…\n(?:.*\n)* +said 30\n/m.test(screen));
  expect(terminal.screen()).not.toMatch(/said 10$/m);
  terminal.press('PPage');
  await terminal.until((screen) => /said 10$/m.test(screen) && !/said 30$/m.test(screen));
  terminal.press('NPage');
  await terminal.until((screen) => /said 30$/m.test(screen));
  terminal.press('/');
  await terminal.shows('search:');
  terminal.type('said 5');
  await terminal.until((screen) => /said 5$/m.test(screen));
  terminal.press('j');
  await terminal.until((screen) => /^ ▸ ✗ +1 .*\n +…\n(?:.*\n)* +said 30\n/m.test(screen));
  // A resumed loop would end again at once.
  terminal.press('r');
  await terminal.until((screen) =>
    /^ It has reached its limit of 2 iterations\. To continue, run: ralph resume \w{4}\n? -m 4$/m.test(screen),
  );
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
});

test('a loop with a question is the first row, and can be answered there', async () => {
  const asks = 'echo "<response>BLOCKED: which database should the tests use?</response>"';
  const scene = makeScene({ play: `case "$prompt" in *SQLite*) ${DONE} ;; *) ${asks} ;; esac` });
  const ralph = scene.ralph(['run', 'Make the tests pass.', '--on-blocked', 'wait']);
  await ralph.says('To answer, run: ralph answer');
  const terminal = await openTop(scene);
  await terminal.until((screen) => /^▸! .* needs you .* which database should/m.test(screen));
  await terminal.shows('1 needs you');
  expect(terminal.screen()).not.toContain('r resume');
  terminal.press('r');
  await terminal.shows('It waits for an answer: press a.');
  expect(scene.starts()).toEqual(['agent 1/work/1']);
  terminal.press('a');
  await terminal.until((screen) => /^ answer \w+: ?$/m.test(screen));
  expect(terminal.modes().hasCursor).toBe(true);
  terminal.paste('SQLite.');
  await terminal.until((screen) => /^ answer \w+: SQLite\.$/m.test(screen));
  terminal.press('C-a');
  terminal.type('Use ');
  expect(await ralph.exited).toMatchObject({ code: 0 });
  await terminal.until((screen) => /^▸✓ .* done /m.test(screen));
  expect(scene.promptOf('1/work/2')).toContain('Use SQLite.');
  terminal.press('a');
  await terminal.shows('It is not asking anything.');
  for (const [key, why] of [
    ['s', 'there is nothing to stop'],
    ['r', 'there is nothing to resume'],
    ['t', 'there will be no further prompt'],
  ] as const) {
    terminal.press(key);
    await terminal.shows(`It is done: ${why}.`);
  }
  terminal.press('q');
  await terminal.ended();
});

test('A attaches to the pane of the agent, and detaching returns to ralph top', async () => {
  const scene = makeScene({ play: `echo "in the pane"; at_gate; ${DONE}` });
  const ralph = scene.ralph(['run', '--runner', 'tmux', '-p', PROMPT]);
  await scene.logged('at gate 1/work/1');
  await scene.journalSays('"kind":"started"');
  const terminal = await openTop(scene, 'unset TMUX; ralph top');
  await terminal.shows('working');
  terminal.press('A');
  await terminal.until((screen) => screen.includes('in the pane') && !screen.includes('ralph top'));
  // Sent to the pane directly, so it reaches the inner tmux, although the outer one has the same prefix key.
  terminal.press('C-b');
  terminal.press('d');
  await terminal.until((screen) => screen.includes('ralph top   1 loop') && screen.includes('q quit'));
  scene.openGate();
  await ralph.exited;
  await terminal.until((screen) => / done /.test(screen));
  terminal.press('A');
  await terminal.shows('is at work in a pane');
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
});

test("the log opens in the user's pager, without control sequences", async () => {
  const scene = makeScene({ play: `printf 'a \\033[31mred\\033]0;owned\\007 word\\n'; ${DONE}` });
  await scene.run();
  const file = join(scene.folder, 'paged');
  const terminal = await openTop(scene, `PAGER="tee '${file}'" ralph top`);
  await terminal.shows('a red word');
  terminal.press('o');
  await terminal.until(() => existsSync(file) && scene.read('paged').includes('Done in 1 iteration'));
  await terminal.shows('q quit');
  expect(scene.read('paged')).toContain('a red word\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must have been removed.
  expect(scene.read('paged')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  terminal.press('q');
  await terminal.ended();
});

test('keys typed along with the one that opens the pager do not open another, and keys work after it', async () => {
  const scene = makeScene({ play: `echo "a word"; ${DONE}` });
  await scene.run();
  const pager = join(scene.folder, 'pager');
  writeFileSync(pager, `#!/bin/sh\necho started >>'${scene.folder}/pagers'\nexec less "$@"\n`, { mode: 0o755 });
  const terminal = await openTop(scene, `PAGER='${pager}' ralph top`);
  await terminal.shows('q quit');
  terminal.paste('ooA?o');
  await terminal.until((screen) => screen.includes('a word') && !screen.includes('ralph top   1 loop'));
  terminal.press('q');
  await terminal.shows('ralph top   1 loop');
  terminal.press('?');
  await terminal.shows('Any key goes back.');
  terminal.press('?');
  await terminal.shows('q quit');
  // Redrawing does not make keys count twice.
  terminal.paste('\f\f2');
  await terminal.until((screen) => !screen.includes('a word'));
  terminal.press('Tab');
  await terminal.shows('all changes');
  expect(scene.read('pagers')).toBe('started\n');
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
});

test('a new loop appears, and a killed supervisor is shown', async () => {
  const scene = makeScene({ play: `at_gate; ${DONE}` });
  const terminal = openTerminal(scene, 'ralph top', SIZE);
  await terminal.shows('No loops. Start one');
  const ralph = scene.ralph(['run', '-p', PROMPT]);
  await terminal.until((screen) => /^▸● .* working/m.test(screen));
  process.kill(ralph.pid, 'SIGKILL');
  await terminal.until((screen) => /^▸✗ .* supervisor died .* press r to resume/m.test(screen));
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
  terminal.close();
  await scene.letGo();
});

test('deleting a loop that is open returns to the list', async () => {
  const scene = makeScene({ play: `echo "a word"; ${DONE}` });
  await scene.run();
  const terminal = await openTop(scene);
  await terminal.shows('a word');
  terminal.press('Enter');
  await terminal.shows('Esc back');
  for (const id of scene.loops()) rmSync(join(scene.state, 'ralph/loops', id), { recursive: true });
  await terminal.until((screen) => screen.includes('ralph top   0 loops') && screen.includes('no longer exists'));
  await scene.run();
  await terminal.until((screen) => screen.includes('ralph top   1 loop') && / done /.test(screen));
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
});

test('a verdict takes one line of the stream, even after the window has become narrower', async () => {
  const command = `true ${'x'.repeat(120)}`;
  const scene = makeScene({ play: DONE, settings: { guardrails: [{ command, failAction: 'APPEND' }] } });
  await scene.run();
  const terminal = openTerminal(scene, 'ralph top', { columns: 110, rows: 24 });
  const verdict = (least: number): RegExp => new RegExp(`^ ✓ true x{${least},}….* \\d+(?:\\.\\d)?m?s$`, 'm');
  await terminal.until((screen) => verdict(70).test(screen));
  terminal.resize(80, 24);
  await terminal.until((screen) => verdict(40).test(screen));
  expect(terminal.screen()).not.toMatch(verdict(70));
  terminal.press('q');
  await terminal.ended();
});

test('secrets are masked in the list, in every tab, and in the pager', async () => {
  const secrets = ['plain-words-of-a-secret', 'sk-ant-api03-abcdefghijklmnop-0123456789'];
  const all = secrets.join(' ');
  const scene = makeScene({
    env: { MY_SERVICE_PASSWORD: secrets[0] ?? '' },
    play: `echo "I have ${all}"; echo "${all}" >work.txt; at_gate; ${DONE}`,
    settings: { guardrails: [{ command: `echo ${all}; exit 1`, failAction: 'APPEND' }] },
  });
  const hidden = (screen: string): boolean => {
    for (const secret of secrets) expect(screen).not.toContain(secret);
    return screen.includes('***');
  };
  const ralph = scene.ralph(['run', '-p', `Use ${all}.`, '-m', '1']);
  await scene.logged('at gate 1/work/1');
  const terminal = await openTop(scene);
  // The output of the agent, in the list and below it.
  await terminal.until(
    (screen) => hidden(screen) && /^▸● .* I have \*\*\*/m.test(screen) && /^ I have \*\*\*/m.test(screen),
  );
  scene.openGate();
  await ralph.exited;
  await terminal.until((screen) => hidden(screen) && /^▸✗ /m.test(screen));
  terminal.press('Enter');
  await terminal.until((screen) => hidden(screen) && screen.includes('Esc back'));
  for (const tab of ['1', '2', '3', '6']) {
    terminal.press(tab);
    await terminal.until((screen) => hidden(screen.split('\n').slice(4).join('\n')));
  }
  terminal.press('1');
  terminal.press('o');
  await terminal.until((screen) => !screen.includes('Esc back') && hidden(screen));
  terminal.press('q');
  await terminal.shows('Esc back');
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
});
