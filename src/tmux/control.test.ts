import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { paneServer } from '../../test/support/panes.ts';
import { processesOf } from '../../test/support/processes.ts';
import { commandLine, endingWith, TmuxGone, TmuxRefusal } from './control.ts';

test('many commands at once each get their own answer, and a refusal does not stop the others', async () => {
  const server = paneServer();
  const pane = server.pane('one', 'cat');
  const control = server.control();
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      control.send(
        i % 10 === 3 ? ['capture-pane', '-p', '-t', '%99'] : ['display-message', '-p', '-t', pane, `answer ${i}`],
      ),
    ).map((answer) => answer.catch((error: unknown) => error)),
  );
  const refused = new TmuxRefusal(['capture-pane', '-p', '-t', '%99'], "can't find pane: %99");
  expect(answers).toEqual(answers.map((_, i) => (i % 10 === 3 ? refused : `answer ${i}`)));
});

test('one connection reaches the panes of all sessions', async () => {
  const server = paneServer();
  const panes = [server.pane('one', 'cat'), server.pane('two', 'cat')];
  const control = server.control();
  const title = (pane: string) => ['display-message', '-p', '-t', pane, '#{session_name} #{pane_id}'] as const;
  expect(await control.sendAll(panes.map(title))).toEqual([
    { ok: true, text: `one ${panes[0]}` },
    { ok: true, text: `two ${panes[1]}` },
  ]);
  expect(clientsOf(server.folder)).toHaveLength(1);
});

test('a pane that shows lines of the protocol confuses nothing', async () => {
  const server = paneServer();
  const shown = '%begin 1 2 1\n%end 1 2 1\n%exit\n%error 1 2 1';
  const pane = server.pane('one', 'sh', '-c', `echo '${shown}'; exec cat`);
  const control = server.control();
  const capture = ['capture-pane', '-p', '-t', pane] as const;
  let text = '';
  while (!text.includes('%error')) text = await control.send(capture);
  expect(text.trimEnd()).toBe(shown);
  expect(await control.send(['display-message', '-p', 'still here'])).toBe('still here');
});

test('notifications between replies are no replies', async () => {
  const server = paneServer();
  server.pane('one', 'cat');
  const control = server.control();
  for (let i = 0; i < 20; i++) {
    const [made, said] = await control.sendAll([
      ['new-window', '-d', '-t', 'one:', '-P', '-F', 'made', 'cat'],
      ['display-message', '-p', `said ${i}`],
    ]);
    expect([made, said]).toEqual([
      { ok: true, text: 'made' },
      { ok: true, text: `said ${i}` },
    ]);
  }
});

test('a session that ended and is there again is found at the next command', async () => {
  const server = paneServer();
  server.pane('one', 'cat');
  server.pane('two', 'cat');
  const control = server.control();
  const client = ['display-message', '-p', '#{client_session}'] as const;
  expect(await control.send(client)).toBe('one');
  const lost = control.send(['wait-for', 'never']);
  server.tmux('kill-session', '-t', 'one');
  await expect(lost).rejects.toMatchObject({ what: 'lost' });
  await expect(control.send(client)).rejects.toMatchObject({ what: 'nowhere' });
  server.pane('one', 'cat');
  expect(await control.send(client)).toBe('one');
});

test('a client that attaches and detaches the others does not keep us away', async () => {
  const server = paneServer();
  server.pane('one', 'cat');
  const control = server.control();
  await control.send(['display-message', '-p', 'x']);
  const lost = control.send(['wait-for', 'never']);
  server.tmux('detach-client', '-s', 'one');
  await expect(lost).rejects.toMatchObject({ what: 'lost' });
  expect(await control.send(['display-message', '-p', 'back'])).toBe('back');
});

test('a server that is gone is told to whoever asks, and none is started', async () => {
  const server = paneServer();
  server.pane('one', 'cat');
  const control = server.control();
  await control.send(['display-message', '-p', 'x']);
  const waiting = control.send(['wait-for', 'never']);
  const outcome = waiting.catch((error: unknown) => error);
  await server.kill();
  expect(await outcome).toEqual(expect.objectContaining({ what: 'lost' }));
  await expect(control.send(['list-sessions'])).rejects.toThrow(TmuxGone);
  await expect(control.send(['list-sessions'])).rejects.toMatchObject({ what: 'nowhere' });
  expect(processesOf(server.folder)).toEqual([]);
  server.pane('one', 'cat');
  expect(await control.send(['display-message', '-p', 'a new one'])).toBe('a new one');
});

test('it shapes no window and keeps the environment of the session', async () => {
  const server = paneServer({ columns: 111, rows: 33 });
  const pane = server.pane('one', 'cat');
  const control = server.control({ env: { ...server.env, DISPLAY: ':77' } });
  expect(await control.send(['display-message', '-p', '-t', pane, '#{pane_width}x#{pane_height}'])).toBe('111x33');
  expect(server.tmux('show-environment', '-t', 'one')).not.toContain(':77');
});

test('closing ends its process and tells those who wait', async () => {
  const server = paneServer();
  server.pane('one', 'cat');
  const control = server.control();
  await control.send(['display-message', '-p', 'x']);
  const waiting = control.send(['wait-for', 'never']).catch((error: unknown) => error);
  control.close();
  expect(await waiting).toBeInstanceOf(TmuxGone);
  await expect(control.send(['list-sessions'])).rejects.toThrow('closed');
  while (clientsOf(server.folder).length > 0) await sleep(5);
});

function clientsOf(folder: string): number[] {
  return processesOf(folder)
    .filter(({ command }) => command.includes('attach-session'))
    .map(({ pid }) => pid);
}

test.runIf(process.platform === 'linux')('a client whose owner died before it began holds no server', async () => {
  const { pid: dead } = spawnSync('true');
  const [program = '', ...args] = endingWith(dead, ['cat']);
  // Its input stays open, as that of a client that attaches: nothing else would end it.
  const client = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'] });
  const [code] = (await once(client, 'exit')) as [number];
  expect(code).toBe(1);
  const [living = '', ...rest] = endingWith(process.pid, ['echo', 'here']);
  expect(spawnSync(living, rest, { encoding: 'utf8' }).stdout).toBe('here\n');
});

test('tmux reads back every argument as it was meant', async () => {
  const server = paneServer();
  server.pane('one', 'cat');
  const control = server.control();
  const file = join(server.folder, 'saved');
  const awkward = [
    '"',
    '\\',
    '$HOME',
    '~',
    '#{pane_id}',
    ';',
    ' ; ',
    '{',
    '}',
    '%if',
    "'",
    '`x`',
    '\n',
    '\r',
    '\u001b',
  ];
  const piece = fc.oneof(fc.constantFrom(...awkward), fc.string({ unit: 'grapheme' }));
  const text = fc
    .array(piece, { minLength: 1 })
    .map((pieces) => pieces.join('').replaceAll('\0', ''))
    .filter((joined) => joined !== '');
  await fc.assert(
    fc.asyncProperty(text, async (wanted) => {
      await control.sendAll([
        ['set-buffer', '-b', 'quoted', '--', wanted],
        ['save-buffer', '-b', 'quoted', file],
      ]);
      expect(readFileSync(file, 'utf8')).toBe(wanted);
    }),
    { numRuns: 200 },
  );
});

test('a NUL is refused: tmux would cut the argument there', () => {
  expect(() => commandLine(['set-buffer', 'a\0b'])).toThrow('NUL');
});
