import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { type Repository, testRepository } from '../../test/support/git/repository.ts';
import { filesOf } from '../../test/support/programs/launching.ts';
import { nodeProgram, startProgram } from '../../test/support/programs/node-program.ts';
import { endProcessesOf } from '../../test/support/programs/processes.ts';
import type { PublishSpec } from '../core/action.ts';
import type { Published } from '../core/record.ts';
import { type Enclosure, type Host, selfContained } from '../process/host.ts';
import { claimAttempt } from '../state/run-files.ts';
import { type PublishRun, publish } from './publish.ts';

const COMMIT: PublishSpec = { index: 0, command: 'git', task: 'commit', message: 'Add it', stage: 'tracked' };
let repository: Repository;
let loop: string;

beforeEach(() => {
  repository = testRepository();
  loop = testFolder();
});

/** Claims an attempt; earlier ones of the same loop count as cut off, as after a crash. */
function claimed(): Pick<PublishRun, 'folder' | 'name' | 'mark' | 'cutOff'> {
  const { folder, name, cutOff } = claimAttempt(loop, '1/publish/0');
  onTestFinished(() => void endProcessesOf(folder));
  const markOf = (attempt: string): string => join(folder, attempt);
  return {
    folder,
    name,
    mark: markOf(name),
    cutOff: cutOff.map((cut) => ({ name: cut.name, mark: markOf(cut.name) })),
  };
}

function attempt(
  what: Partial<PublishSpec> = {},
  given: Partial<PublishRun> = {},
  more: Partial<Host> = {},
): Promise<Published | null> {
  const run: PublishRun = {
    what: { ...COMMIT, ...what },
    cwd: repository.cwd,
    ...claimed(),
    extraEnv: {},
    signal: new AbortController().signal,
    grace: 5000,
    ...given,
  };
  return publish(run, { ...repository.host, ...more });
}

function subjects(): string[] {
  return repository.git('log', '--format=%s').trim().split('\n');
}

test.each([
  ['of tracked files', 'tracked', 'more\n', 2],
  ['of all files', 'all', 'more\n', 2],
  ['of nothing', 'tracked', null, 1],
] as const)(
  'a commit %s takes no more programs than it must: each is slow to start in a sandbox',
  async (_, stage, work, most) => {
    if (work !== null) repository.write('work', work);
    const started: string[] = [];
    const enclosure: Enclosure = {
      env: {},
      enclose: async (argv) => {
        started.push(argv.join(' '));
        const [program = '', ...args] = argv;
        return selfContained([program, ...args]);
      },
      outsideProblem: () => null,
      mayWrite: () => false,
    };
    const done = await attempt({ stage }, {}, { enclosure });
    const head = repository.git('rev-parse', 'HEAD').trim();
    const made = work === null ? { status: 'nothing', detail: 'nothing to commit' } : { status: 'done', detail: head };
    expect(done).toMatchObject(made);
    expect(started).toHaveLength(most);
  },
);

describe('a commit', () => {
  test('holds the changes to tracked files, and reports its hash and how much it changed', async () => {
    repository.write('work', 'more\nand more\n');
    const done = await attempt();
    expect(done).toEqual({
      index: 0,
      task: 'commit',
      status: 'done',
      detail: repository.git('rev-parse', 'HEAD').trim(),
      changed: { files: 1, added: 2, removed: 1 },
    });
    expect(subjects()).toEqual(['Add it', 'begin']);
    expect(repository.git('show', 'HEAD:work')).toBe('more\nand more\n');
  });

  test('that only adds or only removes lines is counted, too', async () => {
    repository.write('work', `${repository.git('show', 'HEAD:work')}more\n`);
    expect(await attempt()).toMatchObject({ changed: { files: 1, added: 1, removed: 0 } });
    repository.write('work', '');
    expect(await attempt({ message: 'Take it out' })).toMatchObject({ changed: { files: 1, added: 0, removed: 2 } });
  });

  test('of tracked files leaves new ones behind and names them', async () => {
    repository.write('work', 'more\n');
    repository.write('new file', '');
    expect(await attempt()).toMatchObject({ status: 'done', leftBehind: { count: 1, names: ['new file'] } });
  });

  test('of all files holds new ones, too', async () => {
    repository.write('new file', 'new\n');
    expect(await attempt({ stage: 'all' })).toMatchObject({ status: 'done' });
    expect(repository.git('show', 'HEAD:new file')).toBe('new\n');
  });

  test('is not made when there is nothing to commit', async () => {
    expect(await attempt()).toMatchObject({ status: 'nothing', detail: 'nothing to commit' });
    expect(subjects()).toEqual(['begin']);
  });

  test.each([
    ['what a shell would run', 'Add $(touch pwned) and `touch pwned` and $HOME'],
    ['quotes', `Say "it's" and 'that'`],
    ['a leading dash', '--amend'],
    ['a leading dash and a letter', '-m'],
    ['several lines', 'Add it\n\nIt was missing: 做 😀\n- one\n- two'],
    ['a comment', '# Add it'],
    ['a semicolon and an ampersand', 'a; b && c > d'],
  ])('has its message verbatim: %s', async (_what, message) => {
    repository.write('work', 'more\n');
    expect(await attempt({ message })).toMatchObject({ status: 'done' });
    expect(repository.git('log', '-1', '--format=%B').trimEnd()).toBe(message);
    expect(repository.git('rev-list', '--count', 'HEAD').trim()).toBe('2');
    expect(existsSync(join(repository.cwd, 'pwned'))).toBe(false);
  });

  test("that a hook refuses has failed, in the hook's words", async () => {
    repository.hook('pre-commit', 'echo "line 3 is too long" >&2; exit 1');
    repository.write('work', 'more\n');
    expect(await attempt()).toMatchObject({ status: 'failed', detail: 'git commit: exit 1: line 3 is too long' });
    expect(subjects()).toEqual(['begin']);
  });

  test('in a folder that is no repository has failed, in the words of git', async () => {
    expect(await attempt({}, { cwd: testFolder() })).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('not a git repository'),
    });
  });

  test('can be the first of its repository', async () => {
    repository.git('checkout', '--orphan', 'fresh');
    expect(await attempt()).toMatchObject({ status: 'done' });
    expect(subjects()).toEqual(['Add it']);
  });
});

describe('an attempt that was cut off', () => {
  test('before anything was done is made up for', async () => {
    claimed();
    repository.write('work', 'more\n');
    expect(await attempt()).toMatchObject({ status: 'done' });
    expect(subjects()).toEqual(['Add it', 'begin']);
  });

  test('after its commit is recognised, also when the tree has changed since, and nothing is committed twice', async () => {
    repository.write('work', 'more\n');
    const first = await attempt();
    repository.write('work', 'and more\n');
    expect(await attempt()).toEqual(first);
    expect(subjects()).toEqual(['Add it', 'begin']);
  });

  test('whose commit was refused is tried again', async () => {
    repository.hook('pre-commit', 'exit 1');
    repository.write('work', 'more\n');
    await attempt();
    repository.hook('pre-commit', 'exit 0');
    expect(await attempt()).toMatchObject({ status: 'done' });
  });

  test('is not mistaken for a commit that another process made meanwhile', async () => {
    repository.hook('pre-commit', 'exit 1');
    repository.write('work', 'more\n');
    await attempt();
    repository.git('commit', '--no-verify', '-am', 'By hand');
    repository.hook('pre-commit', 'exit 0');
    repository.write('work', 'again\n');
    expect(await attempt()).toMatchObject({ status: 'done' });
    expect(subjects()).toEqual(['Add it', 'By hand', 'begin']);
  });

  test('in the middle of git is let finish, and its commit counts', async () => {
    const { cwd } = repository;
    repository.hook('pre-commit', ': >in-hook; until [ -e go ]; do sleep 0.01; done');
    repository.write('work', 'more\n');
    const program = await nodeProgram(`
      import { publish } from './src/scm/publish.ts';
      import { thisHost } from './src/process/host.ts';
      const { run, env } = JSON.parse(process.argv[2]);
      await publish({ ...run, signal: new AbortController().signal }, thisHost(env, null));`);
    const run = { what: COMMIT, cwd, ...claimed(), extraEnv: {}, grace: 5000 };
    const supervisor = startProgram(program, [JSON.stringify({ run, env: repository.host.env })]);
    await filesOf(cwd).made('in-hook');
    supervisor.kill('SIGKILL');
    await once(supervisor, 'exit');

    const second = attempt();
    repository.write('go', '');
    expect(await second).toMatchObject({ status: 'done', detail: repository.git('rev-parse', 'HEAD').trim() });
    expect(subjects()).toEqual(['Add it', 'begin']);
    expect(existsSync(join(cwd, '.git/index.lock'))).toBe(false);
  });
});

describe('any other task', () => {
  test('is run as it is called, and done when it exits with 0', async () => {
    repository.git('init', '--bare', 'remote.git');
    repository.git('remote', 'add', 'origin', join(repository.cwd, 'remote.git'));
    repository.git('config', 'push.default', 'current');
    expect(await attempt({ task: 'push' })).toMatchObject({ task: 'push', status: 'done' });
    expect(repository.git('ls-remote', 'origin')).toContain('refs/heads/main');
  });

  test('has failed with its exit and its words otherwise', async () => {
    expect(await attempt({ task: 'push' })).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(/^git push: exit 128: fatal: /),
    });
  });

  test('may be that of another program', async () => {
    repository.write('record', 'echo "$0" >called\n');
    expect(await attempt({ command: 'sh', task: './record' })).toMatchObject({ status: 'done', detail: '' });
    expect(filesOf(repository.cwd).text('called')).toBe('./record\n');
  });
});

test('a step that is cancelled has no result', async () => {
  const cancel = new AbortController();
  repository.hook('pre-commit', ': >in-hook; sleep 600');
  repository.write('work', 'more\n');
  const running = attempt({}, { signal: cancel.signal });
  await filesOf(repository.cwd).made('in-hook');
  cancel.abort();
  expect(await running).toBeNull();
  expect(subjects()).toEqual(['begin']);
});
