import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { paneServer } from '../../test/support/panes.ts';
import { processesOf } from '../../test/support/processes.ts';
import { endingWith, TmuxGone, TmuxRefusal } from './control.ts';

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
  const control = server.control({ sessions: () => ['one'] });
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

test('when its session ends it says so, and goes on in another one at the next command', async () => {
  const server = paneServer();
  server.pane('one', 'cat');
  server.pane('two', 'cat');
  let tell: (gone: TmuxGone) => void;
  const lost = new Promise<TmuxGone>((resolve) => {
    tell = resolve;
  });
  const control = server.control({ sessions: () => ['one', 'two'], onLost: (gone) => tell(gone) });
  expect(await control.send(['display-message', '-p', '#{client_session}'])).toBe('one');
  server.tmux('kill-session', '-t', 'one');
  expect((await lost).what).toBe('lost');
  expect(await control.send(['display-message', '-p', '#{client_session}'])).toBe('two');
});

test('a session by its id is found under its new name', async () => {
  const server = paneServer();
  server.pane('one', 'cat');
  const id = server.tmux('display-message', '-p', '-t', 'one', '#{session_id}').trim();
  server.tmux('rename-session', '-t', 'one', 'other');
  const control = server.control({ sessions: () => [id] });
  expect(await control.send(['display-message', '-p', '#{client_session}'])).toBe('other');
});

test('a client that attaches and detaches the others does not keep us away', async () => {
  const server = paneServer();
  server.pane('one', 'cat');
  let tell: () => void;
  const lost = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const control = server.control({ onLost: () => tell() });
  await control.send(['display-message', '-p', 'x']);
  server.tmux('detach-client', '-s', 'one');
  await lost;
  expect(await control.send(['display-message', '-p', 'back'])).toBe('back');
});

test('a server that is gone is told to whoever asks, and none is started', async () => {
  const server = paneServer();
  server.pane('one', 'cat');
  const control = server.control({ sessions: () => ['one'] });
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
