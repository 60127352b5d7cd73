/** What a newcomer does and sees in the first ten minutes: clone, demo, a first loop, the list, a crash, a resume. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { ROOT } from '../scene.ts';
import { expectToFit, linkPackages, newMachine, type Size } from './new-machine.ts';

/** Resolves to what `ralph ls` prints at the end. */
export async function playFirstMinutes(size: Size): Promise<string> {
  const { folder, terminal, enter, begin, asked, killSupervisor, letGo } = newMachine(size);
  await enter(`git clone -q ${ROOT} ralph && cd ralph`);
  linkPackages(join(folder, 'ralph'));
  const demo = await enter('npm run demo');
  expect(demo).toContain('\nbuild: dist/ in ');
  expect(demo.match(/^━━ Act \d of 3 /gm)).toHaveLength(3);
  const commands = threeCommands(demo);
  expect(terminal.screen()).toContain('Claude Code is installed. Three commands:');
  expect(commands).toEqual([`cd ${folder}/ralph && npm link`, 'ralph run "fix the failing tests"', 'ralph ls']);

  // Type the commands exactly as the demo printed them.
  const [link = '', run = '', list = ''] = commands;
  await enter(link);
  await enter('cd ../shop && clear');
  await begin(run, '── 2/10 ');
  await terminal.shows('A stranger has no name.');
  const shown = terminal
    .history()
    .slice(terminal.history().lastIndexOf(`$ ${run}`))
    .split('\n');
  expect(shown.slice(0, 6)).toEqual([
    `$ ${run}`,
    'ralph · fix the failing tests',
    expect.stringMatching(/^ {2}agent {6}claude 2\.1\.0, unattended in the OS sandbox {2}\(--agent to change\)$/),
    expect.stringMatching(/^ {2}checks {5}npm test +\(package\.json; --check to change\)$/),
    expect.stringMatching(/^ {2}limits {5}10 iterations/),
    expect.stringMatching(/^ {2}loop {7}\w{4} +ralph logs \w{4} -f$/),
  ]);
  expectToFit(shown, size);
  expect(shown).toContain('✗ DONE rejected: npm test is red. The failure goes into the next prompt.');

  await killSupervisor();
  await asked();
  const died = await enter(list);
  expect(died).toMatch(/^✗ (\w{4}) {2}(?:run {3})?(?:\. {6})?supervisor died +2\/10 .* ralph resume \1 · fix the/m);
  const [, loop = ''] = /ralph resume (\w+)/.exec(died) ?? [];
  letGo();
  const resumed = await enter(`ralph resume ${loop}`);
  expect(resumed).toContain('(iteration 2 of 10): fix the failing tests');
  expect(resumed).toContain('\n✓ npm test ');
  const closing = terminal.screen().split('\n');
  expect(closing).toContainEqual(expect.stringMatching(/^✓ Done in 2 iterations · .* · \$0\.20/));
  expect(closing).toContainEqual(expect.stringMatching(/^ {2}1 {2}DONE rejected {2}npm test ✗ /));
  expect(closing).toContainEqual(expect.stringMatching(/^ {2}2 {2}done {11}npm test ✓ /));
  return enter(list);
}

/** The commands below the last heading, without their descriptions. */
function threeCommands(demo: string): string[] {
  const [, last = ''] = demo.split('Three commands:\n\n');
  return (
    last
      .split('\n\n')[0]
      ?.split('\n')
      .map((line) => line.trim().split(/ {2,}/)[0] ?? '') ?? []
  );
}
