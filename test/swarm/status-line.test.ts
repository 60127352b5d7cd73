/** The status line of a loop in the foreground: below what swarm prints, and gone at the end. */
import { expect, test } from 'vitest';
import { openTerminal } from '../support/terminal/terminal.ts';
import { ralphScene } from './ralph-scene.ts';

const statusIn = (screen: string): string[] => screen.split('\n').filter((line) => line.includes('● '));

test('a loop in a terminal shows its progress, but not that the agent in its window is quiet', async () => {
  const scene = ralphScene('gate $n; sleep 6');
  const flags = '--name agent --ralph --prompt-file PROMPT.md --inactivity-timeout 100000 --max-iterations 2';
  const line = `env -u TMUX ${process.execPath} ${scene.program} spawn ${flags} -- "$HOME/agent.sh"`;
  const terminal = openTerminal(scene, line, { columns: 80, rows: 24 });
  await terminal.shows('● 1/2 · work · ');
  scene.open('1');
  // Longer than the silence that the line would report.
  await terminal.until((screen) => /● 1\/2 · work · [4-9]s/.test(screen));
  expect(statusIn(terminal.screen())).toEqual([expect.stringMatching(/^ ● 1\/2 · work · \ds$/)]);
  await terminal.until((screen) => /\[ralph\] agent: starting iteration 2\/2\n ● 2\/2 · work · \d+s$/.test(screen));
  scene.open('2');
  const { code, screen } = await terminal.ended();
  expect(code).toBe(0);
  expect(screen).toContain('[ralph] agent: loop complete after 2 iterations');
  expect(screen).not.toContain('●');
});

test('without a terminal, the progress is printed from time to time', async () => {
  const scene = ralphScene('gate go');
  scene.env.RALPH_HEARTBEAT_MS = '50';
  const loop = scene.spawn(['--max-iterations', '1']);
  await scene.started(1);
  await loop.says('] 1/1 work, ');
  scene.open('go');
  const { stdout, stderr } = await loop.exited;
  expect(stderr).toMatch(/^\[ralph\] agent: \[\d\d:\d\d\] 1\/1 work, \d+s$/m);
  expect(stdout).not.toContain('1/1 work');
});
