/** `swarm ralph init`, `template`, `status`, `list`, `logs`, `clean`. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROMPT_TEMPLATE } from '../../src/cli/swarm/ralph/files.ts';
import { events, ralphScene } from './ralph-scene.ts';
import { makeScene, refusal, resumed, said } from './scene.ts';

describe('the prompt to start from', () => {
  test('is written once, and again only with --force', async () => {
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

  test('is printed, and no file is created', async () => {
    const scene = makeScene();
    expect(await scene.swarm('ralph', 'template')).toEqual(said(PROMPT_TEMPLATE));
    expect(existsSync(join(scene.work, 'PROMPT.md'))).toBe(false);
  });
});

test('status, list and logs report the state of a loop', async () => {
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
Inactivity timeout: 100000s
Done pattern: All tasks complete
`);
  const list = await scene.swarm('ralph', 'list');
  expect(list).toEqual(
    said(
      `NAME   RALPH_STATUS  WORKER_STATUS  ITERATION  FAILURES  SUPERVISOR\nagent  running       running        2/2        1/1       ${loop.pid}\n`,
    ),
  );
  expect(await scene.swarm('ralph', 'list', '--format', 'names', '--status', 'running')).toEqual(said('agent\n'));
  expect(await scene.swarm('ralph', 'list', '--status', 'failed')).toEqual(said(''));
  const [row] = JSON.parse((await scene.swarm('ralph', 'ls', '--format', 'json')).stdout) as object[];
  const more = { worker_status: 'running', exit_reason: null, supervisor_pid: loop.pid };
  expect(row).toEqual({ ...scene.state(), ...more });
  const logs = (await scene.swarm('ralph', 'logs', 'agent', '--lines', '1')).stdout;
  expect(logs).toMatch(/^\S+ \[START\] iteration 2\/2\n$/);
  const ls = JSON.parse((await scene.swarm('ls', '--format', 'json')).stdout) as { metadata: object }[];
  expect(ls.map(({ metadata }) => metadata)).toEqual([{ ralph: true, ralph_iteration: 2 }]);
  scene.open('go');
  await loop.exited;
  expect((await scene.swarm('ralph', 'status', 'agent')).stdout).toContain(
    '\nExit reason: max_iterations\nTo continue, run: swarm ralph resume agent --max-iterations 4\n',
  );
  const [over] = JSON.parse((await scene.swarm('ralph', 'ls', '--format', 'json')).stdout) as object[];
  expect(over).toMatchObject({ status: 'stopped', exit_reason: 'max_iterations', supervisor_pid: null });
});

test('a loop that is done says so', async () => {
  const scene = ralphScene('echo FINISHED; exit 0');
  await scene.spawned('--max-iterations', '3', '--done-pattern', 'FINISHED');
  const { stdout } = await scene.swarm('ralph', 'status', 'agent');
  expect(stdout).toContain('Status: stopped\nIteration: 1/3\n');
  expect(stdout).toMatch(/\nExit reason: done_pattern\n$/);
});

test('a loop whose supervisor is gone is shown as such, with what to do', async () => {
  const scene = ralphScene('gate never');
  const loop = scene.spawn(['--max-iterations', '3']);
  await scene.started(1);
  loop.signal('SIGKILL');
  await loop.exited;
  const { stdout } = await scene.swarm('ralph', 'status', 'agent');
  expect(stdout).toContain('Status: running\n');
  expect(stdout).toMatch(/\nSupervisor: none \(to continue, run: swarm ralph resume agent\)\n$/);
  expect((await scene.swarm('ralph', 'list')).stdout).toMatch(/ none\n$/);
});

test('a loop whose worker was removed is listed as such, until the loop is cleaned, too', async () => {
  const scene = ralphScene('exit 0');
  await scene.spawned('--max-iterations', '1');
  await scene.swarm('clean', 'agent');
  expect((await scene.swarm('ralph', 'list')).stdout).toContain('removed');
  expect(await scene.swarm('ralph', 'clean', 'agent')).toEqual(said('cleaned ralph state for agent\n'));
  expect(await scene.swarm('ralph', 'clean', 'agent')).toEqual(refusal("no ralph state found for worker 'agent'"));
  expect(await scene.swarm('ralph', 'logs', 'agent')).toEqual(refusal("no iteration log found for worker 'agent'"));
  expect(await scene.swarm('ralph', 'clean')).toEqual(refusal('must specify worker name or use --all'));
});

describe('the journal is the truth:', () => {
  /** What can happen to the state file. */
  const DAMAGES: [what: string, damage: (file: string) => void][] = [
    ['truncated', (file) => truncateSync(file, 20)],
    ['empty', (file) => truncateSync(file, 0)],
    ['removed', (file) => rmSync(file)],
    ['partial', (file) => writeFileSync(file, '{"status": "stopped", "current_iteration": 9}')],
    ['of another shape', (file) => writeFileSync(file, '[1, 2]')],
    ['a folder', (file) => replace(file, () => mkdirSync(join(file, 'full'), { recursive: true }))],
    ['a pipe', (file) => replace(file, () => execFileSync('mkfifo', [file]))],
    ['a dead link', (file) => replace(file, () => symlinkSync('nowhere', file))],
  ];

  function replace(file: string, make: () => void): void {
    rmSync(file);
    make();
  }

  test('whatever happens to the state file, every command works and writes it again', async () => {
    const scene = ralphScene('[ $n = 1 ] && gate go; exit 0');
    const file = join(scene.home, 'ralph/agent/state.json');
    const loop = scene.spawn(['--max-iterations', '2', '--done-pattern', 'FINISHED']);
    await scene.isWritten(1);
    const written = scene.state();
    const status = (await scene.swarm('ralph', 'status', 'agent')).stdout;
    const list = (await scene.swarm('ralph', 'list')).stdout;
    for (const [what, damage] of DAMAGES) {
      damage(file);
      const { code, stdout } = await scene.swarm('ralph', 'status', 'agent');
      expect([what, code, stdout, scene.state()]).toEqual([what, 0, status, written]);
    }
    for (const [what, damage] of DAMAGES) {
      damage(file);
      const { code, stdout } = await scene.swarm('ralph', 'list');
      expect([what, code, stdout, scene.state()]).toEqual([what, 0, list, written]);
    }
    truncateSync(file, 20);
    expect((await scene.swarm('ralph', 'pause', 'agent')).code).toBe(0);
    expect(scene.state()).toEqual({ ...written, status: 'paused' });
    loop.signal('SIGKILL');
    await loop.exited;
    truncateSync(file, 20);
    const { stdout, stderr } = await scene.swarm('ralph', 'resume', 'agent');
    expect(stdout).toBe(resumed().stdout);
    expect(stderr).toBe("swarm: warning: corrupt ralph state for 'agent', resetting\n");
    truncateSync(file, 20);
    scene.open('go');
    await scene.until(
      () => events(scene.read('home/ralph/agent/iterations.log')).at(-1)?.startsWith('[DONE]') === true,
    );
    await scene.until(() => scene.state().status === 'stopped');
    expect(scene.state()).toMatchObject({
      ...written,
      status: 'stopped',
      current_iteration: 2,
      last_iteration_started: expect.anything(),
    });
    rmSync(file);
    expect((await scene.swarm('ralph', 'run', 'agent')).stderr).toBe(
      "swarm: error: ralph loop for 'agent' has status 'stopped'\n",
    );
  });

  test('the three values that people can edit are taken from whatever is still readable', async () => {
    const scene = ralphScene('[ $n = 1 ] && gate go; exit 0');
    const loop = scene.spawn(['--max-iterations', '5']);
    await scene.isWritten(1);
    writeFileSync(join(scene.home, 'ralph/agent/state.json'), '{"max_iterations": 2, "inactivity_timeout": "soon"}');
    const { stdout, stderr } = await scene.swarm('ralph', 'status', 'agent');
    expect(stderr).toBe("swarm: warning: corrupt ralph state for 'agent', resetting\n");
    expect(stdout).toContain('Iteration: 1/2\n');
    expect(stdout).toContain('Inactivity timeout: 100000s\n');
    expect(scene.state()).toMatchObject({ max_iterations: 2, inactivity_timeout: 100_000, done_pattern: null });
    scene.open('go');
    expect((await loop.exited).stdout).toContain('loop complete after 2 iterations');
  });

  test('a damaged file is kept under another name, with a warning', async () => {
    const scene = ralphScene('exit 0');
    await scene.spawned('--max-iterations', '1');
    writeFileSync(join(scene.home, 'ralph/agent/state.json'), '{"status": ');
    const { code, stderr } = await scene.swarm('ralph', 'status', 'agent');
    expect(stderr).toBe("swarm: warning: corrupt ralph state for 'agent', resetting\n");
    expect(code).toBe(0);
    expect(scene.read('home/ralph/agent/state.json.corrupted')).toBe('{"status": ');
    expect(scene.state().status).toBe('stopped');
  });

  test('a loop whose folder was removed gets it back while a supervisor runs, and is forgotten otherwise', async () => {
    const scene = ralphScene('gate never');
    const loop = scene.spawn(['--max-iterations', '3']);
    await scene.isWritten(1);
    const folder = join(scene.home, 'ralph/agent');
    rmSync(folder, { recursive: true });
    expect((await scene.swarm('ralph', 'list', '--format', 'names')).stdout).toBe('agent\n');
    expect(scene.state().current_iteration).toBe(1);
    loop.signal('SIGKILL');
    await loop.exited;
    rmSync(folder, { recursive: true });
    expect((await scene.swarm('ralph', 'list')).stdout).toBe('');
    for (const verb of ['status', 'pause', 'resume', 'run']) {
      expect([verb, await scene.swarm('ralph', verb, 'agent')]).toEqual([
        verb,
        {
          code: 1,
          stdout: '',
          stderr: `swarm: error: worker 'agent' is not a ralph worker\nswarm: Its folder ${folder} was removed, and no supervisor runs its loop.\n`,
        },
      ]);
    }
    expect(await scene.swarm('kill', 'agent')).toEqual(said('killed agent\n'));
    expect(existsSync(folder)).toBe(false);
  });

  test('a damaged journal hides no other loop', async () => {
    const scene = ralphScene('exit 0');
    await scene.spawned('--max-iterations', '1');
    await scene.spawn(['--max-iterations', '1'], 'other').exited;
    const id = scene.read('home/loops/other').trim();
    const journal = join(scene.folder, '.local/state/ralph/loops', id, 'journal.jsonl');
    writeFileSync(journal, scene.read(`.local/state/ralph/loops/${id}/journal.jsonl`).replace('"seq":1,', '"seq":7,'));
    const { code, stdout, stderr } = await scene.swarm('ralph', 'list', '--format', 'names');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'agent\n' });
    expect(stderr).toBe(`swarm: warning: cannot read the loop of 'other': ${journal} is damaged at line 2\n`);
    expect((await scene.swarm('clean', 'other')).stdout).toBe('cleaned other\n');
  });
});

test('a folder that cannot be written is reported, and stops no loop', async () => {
  const scene = ralphScene('[ $n = 1 ] && gate go; exit 0');
  const loop = scene.spawn(['--max-iterations', '2']);
  await scene.isWritten(1);
  rmSync(join(scene.home, 'ralph'), { recursive: true });
  writeFileSync(join(scene.home, 'ralph'), 'in the way');
  const { code, stdout, stderr } = await scene.swarm('ralph', 'status', 'agent');
  expect(stdout).toContain('Iteration: 1/2\n');
  expect(stderr).toContain("swarm: warning: cannot write the state file of 'agent': ");
  expect(code).toBe(0);
  scene.open('go');
  const ended = await loop.exited;
  expect(ended.stdout).toContain('[ralph] agent: loop complete after 2 iterations\n');
  expect(ended.stdout.match(/cannot write/g)).toHaveLength(1);
  expect(ended.code).toBe(0);
  rmSync(join(scene.home, 'ralph'));
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
