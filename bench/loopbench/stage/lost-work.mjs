/** The work that is lost at the end: files as the agent last wrote them, and commits that it has seen. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function lostWork(scene, events) {
  return [...lostFiles(scene, events), ...lostCommits(scene, events)];
}

function lostFiles({ work }, events) {
  const last = new Map();
  for (const { did, path, content } of events) {
    if (did === 'wrote') last.set(path, content);
    if (did === 'removed') last.delete(path);
  }
  const isLost = ([path, content]) => {
    const file = join(work, path);
    return !existsSync(file) || readFileSync(file, 'utf8') !== content;
  };
  return [...last].filter(isLost).map(([path]) => `file ${path}`);
}

function lostCommits(scene, events) {
  const seen = [...new Set(events.map(({ head }) => head).filter((head) => typeof head === 'string'))];
  return seen.filter((commit) => refsWith(scene, commit) === '').map((commit) => `commit ${commit}`);
}

function refsWith({ front, cwd, env }, commit) {
  const [program, ...args] = [...front, 'git', '-C', cwd, 'for-each-ref', `--contains=${commit}`];
  try {
    return execFileSync(program, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    // The commit is not even in the repository any more.
    return '';
  }
}
