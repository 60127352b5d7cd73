import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { testRepository } from '../../../test/support/git/repository.ts';
import { copiesIn } from './files/copies.ts';
import { replaceFile, workTree } from './files/work-tree.ts';
import { storiesRequest } from './request.ts';
import type { PutBackGiven } from './state.ts';
import { putBack, type StepSetting } from './steps.ts';

/** A repository with a list and a PRD that git tracks, and the harness's copies of them. */
function project() {
  const { cwd, host, git, write, hook } = testRepository();
  const loop = testFolder();
  const copies = copiesIn(loop);
  mkdirSync(join(cwd, 'ralph'));
  write('ralph/tasks.json', 'list');
  write('ralph/prd.md', 'prd');
  git('add', 'ralph');
  git('commit', '-m', 'plan');
  const setting: StepSetting = {
    folder: join(cwd, 'ralph'),
    ralphDir: 'ralph',
    loop,
    request: storiesRequest({}),
    copies,
    tree: workTree(cwd, host, loop),
    loadPlugin: () => Promise.resolve(),
  };
  const head = git('rev-parse', 'HEAD').trim();
  const given: PutBackGiven = {
    why: 'tampered',
    tasks: copies.keep('list'),
    prd: copies.keep('prd'),
    head,
  };
  const read = (name: string) => readFileSync(join(cwd, 'ralph', name), 'utf8');
  return { cwd, host, git, write, hook, setting, given, read };
}

describe('restoring files', () => {
  test('done again after it was killed halfway, it finishes and keeps what it kept', async () => {
    const { git, write, setting, given, read } = project();
    write('ralph/tasks.json', 'forged');
    git('commit', '-am', 'sneaky');
    // As after a crash: the agent's version is kept and the file restored, but nothing is committed.
    const first = await putBack(setting, given, '1/put-back/1');
    git('reset', '--soft', 'HEAD~1');
    git('reset');
    const again = await putBack(setting, given, '1/put-back/1');
    expect(again.kept).toEqual(first.kept);
    expect(readFileSync(again.kept[0] ?? '', 'utf8')).toBe('forged');
    expect(again.commit).toBe(git('rev-parse', 'HEAD').trim());
    expect(read('tasks.json')).toBe('list');
    expect(git('status', '--porcelain')).toBe('');
    expect(await putBack(setting, given, '1/put-back/1')).toMatchObject({ commit: null, problem: null });
  });

  test('a file that did not exist is removed, and one that did is back', async () => {
    const { cwd, git, setting, given, write } = project();
    git('rm', '-q', 'ralph/prd.md');
    git('commit', '-m', 'without');
    write('ralph/prd.md', 'invented');
    const without = { ...given, prd: null, head: git('rev-parse', 'HEAD').trim() };
    const { kept } = await putBack(setting, without, 'k');
    expect(kept).toHaveLength(1);
    expect(git('status', '--porcelain')).toBe('');
    rmSync(join(cwd, 'ralph'), { recursive: true });
    await putBack(setting, without, 'k2');
    expect(git('status', '--porcelain')).toBe('');
  });

  test('commits only its own files, without the project’s hooks, and reports why it could not', async () => {
    const { cwd, git, write, hook, setting, given } = project();
    hook('pre-commit', 'exit 1');
    write('work', 'staged by the user\n');
    git('add', 'work');
    write('ralph/tasks.json', 'forged');
    expect(await putBack(setting, given, 'k')).toMatchObject({ commit: null, problem: null });
    write('ralph/tasks.json', 'forged');
    git('commit', '--no-verify', '-m', 'sneaky', '--', 'ralph');
    hook('post-commit', 'touch hooked');
    expect((await putBack(setting, given, 'k')).commit).not.toBeNull();
    expect(git('status', '--porcelain')).toBe('M  work\n');
    write('ralph/tasks.json', 'forged');
    git('commit', '--no-verify', '-m', 'sneaky', '--', 'ralph');
    replaceFile(cwd, join(cwd, '.git/index.lock'), '');
    const { problem } = await putBack(setting, given, 'k');
    expect(problem).toContain('index.lock');
  });

  test('commits even if git has no user name', async () => {
    const { cwd, host, git, write, setting, given } = project();
    write('ralph/tasks.json', 'forged');
    git('commit', '-am', 'sneaky');
    const { PATH, HOME } = host.env;
    const env = {
      PATH,
      HOME,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'user.useConfigOnly',
      GIT_CONFIG_VALUE_0: 'true',
    };
    const tree = workTree(cwd, { env }, setting.loop);
    const { commit, problem } = await putBack({ ...setting, tree }, given, 'k');
    expect(problem).toBeNull();
    expect(git('log', '-1', '--format=%an <%ae>', commit ?? '')).toBe('Ralph Loop <ralph@localhost>\n');
  });
});
