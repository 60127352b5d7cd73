/** Looks at the machine and the work tree for what a sandbox's policy is worked out from. */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { AgentsAccess } from '../../core/agent-access.ts';
import { digestOf } from '../../core/text/digest.ts';
import { realPathSoFar } from '../../process/files.ts';
import { believedGit, type GitPlace, submoduleEntry, submoduleFolders } from '../../state/git-place.ts';
import type { PolicyFacts } from './policy.ts';

export interface SandboxPlace {
  /** Names the loop on this machine. */
  readonly loop: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stateRoot: string;
  /** Of all agents that the loop calls. */
  readonly access: AgentsAccess;
}

export function policyFacts(place: SandboxPlace): PolicyFacts {
  const { loop, cwd, env, stateRoot, access } = place;
  const home = env.HOME || '/';
  const workspace = realpathSync(cwd);
  const git = believedGit(workspace);
  const submodules = git === null ? [] : submoduleFolders(git);
  return {
    workspace,
    home,
    otherHomes: otherHomes(home),
    stateRoot,
    temp: join(realpathSync(tmpdir()), `ralph-${digestOf(loop)}`),
    caches: join(env.XDG_CACHE_HOME || join(home, '.cache'), 'ralph/sandbox', digestOf(workspace)),
    access,
    git,
    otherWorktrees: git === null ? [] : otherWorktrees(git),
    submodules,
    submoduleEntries: submodules.flatMap((repository) => submoduleEntry(repository) ?? []),
    env,
    guardsNames: process.platform === 'darwin',
    exists: existsSync,
    real: realPathSoFar,
  };
}

/** The user's own by the machine's list, where HOME says otherwise; for root, everybody's. */
function otherHomes(home: string): string[] {
  const isRoot = process.getuid?.() === 0;
  const all = isRoot && existsSync('/home') ? readdirSync('/home').map((name) => join('/home', name)) : [];
  return [...new Set([...listedHome(), ...all])].filter((folder) => folder !== home);
}

function listedHome(): string[] {
  try {
    return [userInfo().homedir];
  } catch {
    // A user that is not on the list, as in a container.
    return [];
  }
}

function otherWorktrees({ gitFolder, commonFolder }: GitPlace): string[] {
  const folder = join(commonFolder, 'worktrees');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.map((name) => join(folder, name)).filter((path) => path !== gitFolder);
}
