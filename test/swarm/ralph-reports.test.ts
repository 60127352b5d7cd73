/** `swarm ralph init`, `template`, `status`, `list`, `logs`, `clean`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROMPT_TEMPLATE } from '../../src/doors/swarm/ralph/template.ts';
import { ralphScene } from './ralph-scene.ts';
import { makeScene, refusal, said } from './scene.ts';

describe('the prompt to start from', () => {
  test('is written once, and again only by force', async () => {
    const scene = makeScene();
    const file = join(scene.work, 'PROMPT.md');
    expect(await scene.swarm('ralph', 'init', '--force')).toEqual(said('created PROMPT.md\n'));
    expect(readFileSync(file, 'utf8')).toBe(PROMPT_TEMPLATE);
    writeFileSync(file, 'mine');
    const message = 'PROMPT.md already exists (use --force to overwrite)';
    expect(await scene.swarm('ralph', 'init')).toEqual(refusal(message));
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(await scene.swarm('ralph', 'init', '--force')).toEqual(said('created PROMPT.md (overwritten)\n'));
    expect(readFileSync(file, 'utf8')).toBe(PROMPT_TEMPLATE);
  });

  test('is printed, and no file is made', async () => {
    const scene = makeScene();
    expect(await scene.swarm('ralph', 'template')).toEqual(said(PROMPT_TEMPLATE));
    expect(existsSync(join(scene.work, 'PROMPT.md'))).toBe(false);
  });
});

test('status, list and logs tell what the files say', async () => {
  const scene = ralphScene('[ $n = 1 ] && exit 1; [ $n = 2 ] && gate go; exit 0', 100);
  const loop = scene.spawn(['--max-iterations', '2', '--done-pattern', 'All tasks complete']);
  await loop.says('starting iteration 2/2');
  const { stdout } = await scene.swarm('ralph', 'status', 'agent');
  expect(stdout.replaceAll(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}/g, 'TIME')).toBe(`Ralph Loop: agent
Status: running
Iteration: 2/2
Started: TIME
Current iteration started: TIME
Consecutive failures: 1
Total failures: 1
Inactivity timeout: 60s
Done pattern: All tasks complete
`);
  const list = await scene.swarm('ralph', 'list');
  expect(list).toEqual(
    said(
      'NAME   RALPH_STATUS  WORKER_STATUS  ITERATION  FAILURES\nagent  running       running        2/2        1/1\n',
    ),
  );
  expect(await scene.swarm('ralph', 'list', '--format', 'names', '--status', 'running')).toEqual(said('agent\n'));
  expect(await scene.swarm('ralph', 'list', '--status', 'failed')).toEqual(said(''));
  const [row] = JSON.parse((await scene.swarm('ralph', 'ls', '--format', 'json')).stdout) as object[];
  expect(row).toEqual({ ...scene.state(), worker_status: 'running' });
  const logs = (await scene.swarm('ralph', 'logs', 'agent', '--lines', '1')).stdout;
  expect(logs).toMatch(/^\S+ \[START\] iteration 2\/2\n$/);
  const ls = JSON.parse((await scene.swarm('ls', '--format', 'json')).stdout) as { metadata: object }[];
  expect(ls.map(({ metadata }) => metadata)).toEqual([{ ralph: true, ralph_iteration: 2 }]);
  scene.open('go');
  await loop.exited;
});

test('what was removed is told apart from what was never there', async () => {
  const scene = ralphScene('exit 0');
  await scene.spawned('--max-iterations', '1');
  await scene.swarm('clean', 'agent');
  expect((await scene.swarm('ralph', 'list')).stdout).toContain('removed');
  expect(await scene.swarm('ralph', 'clean', 'agent')).toEqual(said('cleaned ralph state for agent\n'));
  expect(await scene.swarm('ralph', 'clean', 'agent')).toEqual(refusal("no ralph state found for worker 'agent'"));
  expect(await scene.swarm('ralph', 'logs', 'agent')).toEqual(refusal("no iteration log found for worker 'agent'"));
  expect(await scene.swarm('ralph', 'clean')).toEqual(refusal('must specify worker name or use --all'));
});

test('a spoiled state file is kept beside, and told of', async () => {
  const scene = ralphScene('exit 0');
  await scene.spawned('--max-iterations', '1');
  writeFileSync(join(scene.home, 'ralph/agent/state.json'), '{"status": ');
  const { code, stderr } = await scene.swarm('ralph', 'status', 'agent');
  expect(stderr).toContain("swarm: warning: corrupt ralph state for 'agent', resetting\n");
  expect(code).toBe(1);
  expect(scene.read('home/ralph/agent/state.json.corrupted')).toBe('{"status": ');
});

test('a name never leads out of the folder of the loops', async () => {
  const scene = ralphScene('exit 0');
  await scene.spawned('--max-iterations', '1');
  for (const verb of ['clean', 'status', 'logs', 'pause', 'resume', 'run']) {
    const { code, stderr } = await scene.swarm('ralph', verb, '..');
    expect([verb, code, stderr.split('\n')[0]]).toEqual([verb, 1, "swarm: error: invalid worker name '..'"]);
  }
  expect(scene.state().status).toBe('stopped');
});
