/** Finds the project of a stories command by its flags, and opens its work tree for reading. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, readEnvironment } from '../../config/environment.ts';
import { RalphError } from '../../core/error.ts';
import { openSandbox } from '../../engine/sandbox.ts';
import { type WorkTree, workTree } from '../../loops/stories/files/work-tree.ts';
import { GRACE_MS, knownLoop } from '../../loops/stories/find-loop.ts';
import type { Self } from '../../loops/stories/isolation.ts';
import { type CommandProject, findPlugin, listIn, projectIn } from '../../loops/stories/project.ts';
import { agentsOf, sandboxOf } from '../../loops/stories/request.ts';
import { thisHost } from '../../process/host.ts';
import { repositoryWatch } from '../../runners/sandbox/own-environment.ts';
import { makePrivateFolder } from '../../state/folders.ts';
import type { ProofChangeFlags } from '../program/flags/proof.ts';
import type { TermFlags } from '../program/flags/terms.ts';

/** The flags of all commands; program.ts declares which command has which. */
export interface CommandFlags extends TermFlags, ProofChangeFlags {
  readonly projectDir?: string;
  readonly ralphDir?: string;
  readonly name?: string;
  readonly force?: boolean;
  readonly maxIterations?: number;
  readonly detach?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly label?: string;
  readonly includeLogs?: boolean;
}

export function projectOf(flags: CommandFlags): CommandProject {
  const project = projectIn(flags.projectDir ?? process.cwd(), flags.ralphDir ?? 'ralph');
  return { ...project, environment: readEnvironment() };
}

/** For commands that read an existing list: without `--ralph-dir`, the list of the newest loop, if it still exists. */
export function listedProjectOf(flags: CommandFlags): CommandProject {
  const project = projectOf(flags);
  const { cwd, environment } = project;
  const last = flags.ralphDir === undefined ? knownLoop(environment.root, cwd)?.request?.ralphDir : undefined;
  if (last === undefined) return project;
  const list = listIn(cwd, last);
  return existsSync(join(list.folder, 'tasks.json')) ? { ...project, ...list } : project;
}

export function pluginOf({ variables }: Environment, here: string): string | null {
  return findPlugin(here, variables.RALPH_PLUGIN_DIR);
}

export type ReadOnlyTree = { readonly tree: WorkTree } | { readonly problem: string };

/** Turns off the most common ways in which a repository makes git start programs. This is no defence. */
const QUIET = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];

/** Git runs programs that a repository names. If a sandboxed agent may have named them, git runs in such a sandbox. */
export async function withReadOnlyTree<Gives>(
  { cwd, environment }: CommandProject,
  self: Self,
  use: (look: ReadOnlyTree) => Promise<Gives>,
): Promise<Gives> {
  const { variables: env, containment, root } = environment;
  const { request = null, folder: known = '' } = knownLoop(root, cwd) ?? {};
  const kind = request === null ? 'none' : sandboxOf(request);
  if (request === null || kind !== 'os') {
    // Starting a Docker Sandbox only to read the work tree would take too long.
    const problem = kind === 'docker' ? repositoryWatch(known, cwd, env)() : null;
    if (problem !== null) return use({ problem });
    const tree = workTree(cwd, { env }, '');
    return use({ tree: { ...tree, git: (args) => tree.git([...QUIET, ...args]) } });
  }
  // A sandbox of its own, because the loop's may be in use.
  const loop = { id: `${known}/look-${process.pid}`, folder: join(known, `look-${process.pid}`) };
  const agents = agentsOf(request);
  const around = { cwd, host: thisHost(env, containment), grace: GRACE_MS, stateRoot: root.path, self, agents };
  makePrivateFolder(loop.folder);
  try {
    const isolated = openSandbox(request.sandbox, { ...around, loop, inheritFrom: known });
    const opened = await isolated.catch((error: unknown) => {
      if (error instanceof RalphError) return { problem: error.message };
      throw error;
    });
    if ('problem' in opened) return await use(opened);
    try {
      return await use({ tree: workTree(cwd, opened.host, loop.folder) });
    } finally {
      await opened.runner.close();
    }
  } finally {
    rmSync(loop.folder, { recursive: true, force: true });
  }
}
