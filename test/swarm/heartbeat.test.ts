/** `swarm heartbeat`: nudges at intervals, and how they are reported. */
import { expect, test } from 'vitest';
import { processesOf } from '../support/programs/processes.ts';
import { makeScene, refusal, type Scene, said } from './scene.ts';

async function withAgent(): Promise<Scene> {
  const scene = makeScene();
  await scene.swarm(
    'spawn',
    '--name',
    'w',
    '--tmux',
    '--',
    'sh',
    '-c',
    'while read -r line; do echo "heard $line"; echo waiting; done',
  );
  return scene;
}

function beats(scene: Scene): number {
  return JSON.parse(scene.read('home/heartbeats/w.json')).beat_count;
}

test('it sends its message at the interval, until it is stopped', async () => {
  const scene = await withAgent();
  const started = await scene.swarm('heartbeat', 'start', 'w', '--interval', '100ms', '--message', 'go on');
  expect(started).toEqual({
    code: 0,
    stdout: 'Heartbeat started for w (every 100ms, no expiration)\n',
    stderr: 'swarm: warning: very short interval (100ms), consider using at least 1m\n',
  });
  await scene.printed('w', 'heard go on');
  await scene.until(() => beats(scene) >= 2);
  const utc = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
  expect(JSON.parse(scene.read('home/heartbeats/w.json'))).toEqual({
    worker_name: 'w',
    interval_seconds: 0.1,
    expire_at: null,
    message: 'go on',
    created_at: utc,
    last_beat_at: utc,
    beat_count: expect.any(Number),
    status: 'active',
    monitor_pid: expect.any(Number),
  });
  const { monitor_pid } = JSON.parse(scene.read('home/heartbeats/w.json'));
  expect(await scene.swarm('heartbeat', 'stop', 'w')).toEqual(said('Heartbeat stopped for w\n'));
  await scene.until(() => !scene.isRunning(monitor_pid));
  expect(JSON.parse(scene.read('home/heartbeats/w.json'))).toMatchObject({ status: 'stopped', monitor_pid: null });
});

test('it expires by itself', async () => {
  const scene = await withAgent();
  const started = await scene.swarm('heartbeat', 'start', 'w', '--interval', '4h', '--expire', '1s');
  expect(started).toEqual(said('Heartbeat started for w (every 4h, expires in 1s)\n'));
  await scene.until(() => JSON.parse(scene.read('home/heartbeats/w.json')).status === 'expired');
  expect(beats(scene)).toBe(0);
});

test('it stops with its worker, and clean removes both', async () => {
  const scene = await withAgent();
  await scene.swarm('heartbeat', 'start', 'w', '--interval', '4h');
  const { monitor_pid } = JSON.parse(scene.read('home/heartbeats/w.json'));
  await scene.swarm('kill', 'w');
  expect(JSON.parse(scene.read('home/heartbeats/w.json')).status).toBe('stopped');
  await scene.until(() => !scene.isRunning(monitor_pid));
  await scene.swarm('clean', 'w');
  expect(await scene.swarm('heartbeat', 'list')).toEqual(said('No heartbeats found\n'));
});

test('it notices that its worker has ended', async () => {
  const scene = await withAgent();
  await scene.swarm('heartbeat', 'start', 'w', '--interval', '100ms');
  const status = (): string => JSON.parse(scene.read('home/heartbeats/w.json')).status;
  // An end of input right after a nudge that is being typed ends only that line.
  while (status() !== 'stopped') await scene.swarm('eof', 'w');
  expect((await scene.swarm('heartbeat', 'status', 'w')).stdout).toContain('stopped');
});

test('a message that is still unread is not sent again', async () => {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'sh', '-c', 'stty -icanon; echo ready; exec sleep 60');
  await scene.printed('w', 'ready');
  scene.tmux('send-keys', '-t', 'swarm:w', '-l', 'continue');
  await scene.printed('w', 'continue');
  await scene.swarm('heartbeat', 'start', 'w', '--interval', '50ms', '--expire', '1s');
  await scene.until(() => JSON.parse(scene.read('home/heartbeats/w.json')).status === 'expired');
  expect(beats(scene)).toBe(0);
});

test('pause holds it, resume lets it continue', async () => {
  const scene = await withAgent();
  await scene.swarm('heartbeat', 'start', 'w', '--interval', '100ms');
  await scene.until(() => beats(scene) > 0);
  expect(await scene.swarm('heartbeat', 'pause', 'w')).toEqual(said('Heartbeat paused for w\n'));
  expect(await scene.swarm('heartbeat', 'pause', 'w')).toEqual(
    refusal('heartbeat for w is not active (status: paused)'),
  );
  const paused = beats(scene);
  expect((await scene.swarm('heartbeat', 'status', 'w')).stdout).toContain('Next beat: -\n');
  expect(beats(scene)).toBe(paused);
  expect(await scene.swarm('heartbeat', 'resume', 'w')).toEqual(said('Heartbeat resumed for w\n'));
  expect(await scene.swarm('heartbeat', 'resume', 'w')).toEqual(
    refusal('heartbeat for w is not paused (status: active)'),
  );
  await scene.until(() => beats(scene) > paused);
});

test('resume restarts a monitor that was killed', async () => {
  const scene = await withAgent();
  await scene.swarm('heartbeat', 'start', 'w', '--interval', '200ms');
  await scene.swarm('heartbeat', 'pause', 'w');
  const { monitor_pid, beat_count } = JSON.parse(scene.read('home/heartbeats/w.json'));
  process.kill(monitor_pid, 'SIGKILL');
  await scene.until(() => !scene.isRunning(monitor_pid));
  expect(await scene.swarm('heartbeat', 'resume', 'w')).toEqual(said('Heartbeat resumed for w\n'));
  await scene.until(() => beats(scene) > beat_count);
});

test('a second heartbeat needs --force, and replaces the first', async () => {
  const scene = await withAgent();
  await scene.swarm('heartbeat', 'start', 'w', '--interval', '1h30m');
  expect(await scene.swarm('heartbeat', 'start', 'w', '--interval', '90')).toEqual(
    refusal("heartbeat already active for 'w' (use --force to replace)"),
  );
  expect((await scene.swarm('heartbeat', 'start', 'w', '--interval', '90', '--force')).stdout).toBe(
    'Heartbeat started for w (every 1m30s, no expiration)\n',
  );
  await scene.until(() => processesOf(scene.folder).filter(({ command }) => command.includes('monitor')).length === 1);
});

test('list and status show them', async () => {
  const scene = await withAgent();
  await scene.swarm('heartbeat', 'start', 'w', '--interval', '4h', '--expire', '24h');
  const rows = (await scene.swarm('heartbeat', 'ls')).stdout.split('\n').map((line) => line.trimEnd().split(/ {2,}/));
  expect(rows).toEqual([
    ['WORKER', 'INTERVAL', 'NEXT BEAT', 'EXPIRES', 'STATUS', 'BEATS'],
    [
      'w',
      '4h',
      expect.stringMatching(/^(4h|3h59m\d*s?)$/),
      expect.stringMatching(/^(24h|23h59m\d*s?)$/),
      'active',
      '0',
    ],
    [''],
  ]);
  const record = JSON.parse(scene.read('home/heartbeats/w.json'));
  expect(JSON.parse((await scene.swarm('heartbeat', 'list', '--format', 'json')).stdout)).toEqual([record]);
  const status = (await scene.swarm('heartbeat', 'status', 'w')).stdout.split('\n').map((line) => line.split(': ')[0]);
  expect(status).toEqual([
    'Worker',
    'Status',
    'Interval',
    'Message',
    'Created',
    'Expires',
    'Last beat',
    'Next beat',
    'Beat count',
    '',
  ]);
  const json = JSON.parse((await scene.swarm('heartbeat', 'status', 'w', '--format', 'json')).stdout);
  expect(json).toEqual({ ...record, next_beat_at: expect.any(String) });
});

test('it refuses unknown workers, workers without a window, and invalid times', async () => {
  const scene = await withAgent();
  await scene.swarm('spawn', '--name', 'p', '--', 'sleep', '60');
  const start = (name: string, ...flags: string[]) => scene.swarm('heartbeat', 'start', name, ...flags);
  expect(await start('missing', '--interval', '4h')).toEqual(refusal("worker 'missing' not found"));
  expect(await start('p', '--interval', '4h')).toEqual(refusal('heartbeat requires tmux worker'));
  expect(await start('w', '--interval', '0')).toEqual(refusal("invalid interval '0'"));
  expect(await start('w', '--interval', 'soon')).toEqual(refusal("invalid interval 'soon'"));
  expect(await start('w', '--interval', '4h', '--expire', 'x')).toEqual(refusal("invalid expire 'x'"));
  expect((await start('w')).code).toBe(2);
  expect(await scene.swarm('heartbeat', 'stop', 'w')).toEqual(said('No active heartbeat for w\n'));
  expect(await scene.swarm('heartbeat', 'status', 'w')).toEqual(refusal('no heartbeat found for w'));
  expect(await scene.swarm('heartbeat', 'pause', 'w')).toEqual(refusal('no heartbeat found for w'));
  expect(await scene.swarm('heartbeat', 'list', '--format', 'json')).toEqual(said('[]\n'));
});
