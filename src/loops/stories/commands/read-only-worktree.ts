/**
 * The work tree for a command that comes after a loop, or beside it. Git runs programs that a repository names, and a
 * sandboxed agent may have named them: such a repository is looked at from within a sandbox like the loop's.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { agentsAccess } from '../../../agents/index.ts';
import { RalphError } from '../../../core/error.ts';
import { thisHost } from '../../../process/host.ts';
import { isolate } from '../../../runners/choose.ts';
import { repositoryWatch } from '../../../runners/sandbox/repository-watch.ts';
import { makePrivateFolder } from '../../../state/folders.ts';
import { type WorkTree, workTree } from '../files/work-tree.ts';
import { GRACE_MS, knownLoop } from '../find-loop.ts';
import type { Self } from '../isolation.ts';
import type { CommandProject } from '../project.ts';
import { agentsOf, type StoriesRequest, sandboxOf } from '../request.ts';

/** The tree, or why it is not to be looked at. */
export type ReadOnlyTree = { readonly tree: WorkTree } | { readonly problem: string };

/** Not a defence, but the commonest ways: without them a look from outside starts nothing. */
const QUIET = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];

export async function withReadOnlyTree<Gives>(
  project: CommandProject,
  self: Self,
  use: (look: ReadOnlyTree) => Promise<Gives>,
): Promise<Gives> {
  const { cwd, environment } = project;
  const known = knownLoop(environment.root, cwd);
  const request = known?.request ?? null;
  if (known === null || request === null) return use({ tree: freeTree(project) });
  const { folder } = known;
  switch (sandboxOf(request)) {
    case 'none':
      return use({ tree: freeTree(project) });
    case 'docker': {
      // To start a machine for a look would take longer than the look is worth.
      const problem = repositoryWatch({ folder, workspace: cwd, env: environment.variables })();
      return use(problem === null ? { tree: freeTree(project) } : { problem });
    }
    case 'os':
      return withinLike(folder, request, project, self, use);
  }
}

function freeTree({ cwd, environment }: CommandProject): WorkTree {
  const tree = workTree({ cwd, host: { env: environment.variables }, synced: null, loop: '' });
  return { ...tree, git: (args) => tree.git([...QUIET, ...args]) };
}

/** One of its own: the loop's may be in use. */
async function withinLike<Gives>(
  like: string,
  request: StoriesRequest,
  { cwd, environment }: CommandProject,
  self: Self,
  use: (look: ReadOnlyTree) => Promise<Gives>,
): Promise<Gives> {
  const loop = { id: `${like}/look-${process.pid}`, folder: join(like, `look-${process.pid}`) };
  const access = agentsAccess(...agentsOf(request));
  const host = thisHost(environment.variables, environment.containment);
  const around = { cwd, host, grace: GRACE_MS, stateRoot: environment.root.path, self, access };
  makePrivateFolder(loop.folder);
  try {
    const opened = await isolate(request.sandbox, { ...around, loop, like, runner: 'direct' }).catch(problemOf);
    if ('problem' in opened) return await use(opened);
    try {
      return await use({ tree: workTree({ cwd, host: opened.host, synced: null, loop: loop.folder }) });
    } finally {
      await opened.runner.close();
    }
  } finally {
    rmSync(loop.folder, { recursive: true, force: true });
  }
}

function problemOf(error: unknown): { problem: string } {
  if (error instanceof RalphError) return { problem: error.message };
  throw error;
}
