import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { makeFirstCommit } from '../../../test/support/git/first-commit.ts';
import { readJournal } from '../../state/journal.ts';
import { makeLoopsFolder } from '../../state/new-loop.ts';
import { journalPath } from '../../state/paths.ts';
import { requestFrom } from './request.ts';
import { beginSessionLoop } from './store.ts';

const WHO = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };

test('a loop records the commit on which it began', () => {
  const [root, cwd] = [{ path: testFolder() }, testFolder()];
  makeFirstCommit(cwd, 'file', 'text\n', { PATH: process.env.PATH, ...WHO });
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd, encoding: 'utf8' }).trim();
  makeLoopsFolder(root);
  const mark = { transcript: null, offset: 0 };
  const start = { request: requestFrom([], 'Do it.', false), host: 'claude', mark, tree: null };
  const lock = { release: () => undefined };
  const { folder } = beginSessionLoop(lock, { root, session: 'x' }, start, { cwd, release: '0', mask: (text) => text });
  const base = { commit, pins: {} };
  expect(readJournal(journalPath(folder)).records[0]?.result).toMatchObject({ kind: 'created', base });
});
