/** `swarm spawn --dry-run`: what would be started, and what its sandbox would allow; nothing is made. */
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { quoteWord } from '../../agents/describe-command.ts';
import { withoutSwarm } from '../../doors/swarm/workers/sandbox.ts';
import type { SpawnRequest } from '../../doors/swarm/workers/spawn.ts';
import { refused, type Swarm } from '../../doors/swarm/workers/swarm.ts';
import { findProgram } from '../../process/which.ts';
import { describePolicy } from '../../runners/sandbox/describe.ts';
import { policyFacts } from '../../runners/sandbox/facts.ts';
import { type PolicyFacts, sandboxPolicy } from '../../runners/sandbox/policy.ts';
import type { SandboxRequest } from '../../runners/sandbox/request.ts';
import { findRepository, worktreePath } from '../../scm/worktree.ts';
import { programOf } from '../../tmux/ready-command.ts';

/** `loop`: a line on the loop that it would have. */
export async function dryRun(swarm: Swarm, request: SpawnRequest, loop: string | null = null): Promise<number> {
  const { say } = swarm;
  const { name, argv, tmux, sandbox } = request;
  const place = await placeOf(swarm, request);
  say(`Worker: ${name} (${tmux === null ? 'a background process' : `tmux: ${tmux.session}:${name}`})`);
  if (loop !== null) say(`Loop: ${loop}`);
  say(`Folder: ${place.cwd}${place.from === null ? '' : ' (a worktree that would be made)'}`);
  say(`\nCommand line:\n  ${argv.map(quoteWord).join(' ')}`);
  const program = findProgram(argv[0], swarm.env.PATH, place.from ?? place.cwd);
  say(program === null ? `  warning: ${argv[0]} is not on the PATH` : `  runs ${program}`);
  if (sandbox?.kind === 'os') {
    say("\nSandbox (the operating system's):");
    for (const line of policyLines(swarm, request, place, sandbox)) say(line);
  } else {
    say(`\nSandbox: ${sandbox?.kind ?? 'none'}`);
  }
  say('\nDry run: nothing was started.');
  return 0;
}

interface Place {
  readonly cwd: string;
  /** The repository of a worktree that is not there yet. */
  readonly from: string | null;
}

async function placeOf({ cwd, env }: Swarm, request: SpawnRequest): Promise<Place> {
  if (request.worktree === null) return { cwd: resolve(cwd, request.cwd ?? '.'), from: null };
  const repository = await findRepository(cwd, env);
  if (repository === null) throw refused('not in a git repository (required for --worktree)');
  const path = worktreePath(repository.root, request.name, request.worktree.parent);
  return { cwd: path, from: existsSync(path) ? null : repository.root };
}

function policyLines(
  { home, env, stateRoot }: Swarm,
  { name, argv, env: own }: SpawnRequest,
  { cwd, from }: Place,
  sandbox: SandboxRequest,
): string[] {
  const agent = programOf(argv);
  const facts = policyFacts({ loop: name, cwd: from ?? cwd, env: { ...env, ...own }, stateRoot, agent });
  const begun = from === null ? facts : inWorktree(facts, cwd);
  // It is made with the first worker.
  const exists = (path: string): boolean => path === home.path || begun.exists(path);
  return describePolicy(sandboxPolicy({ ...begun, exists }, withoutSwarm(sandbox, home)));
}

/** As the facts will be once the worktree is there, with the files that the repository has now. */
function inWorktree(facts: PolicyFacts, path: string): PolicyFacts {
  const { workspace, git, exists } = facts;
  const isIn = (file: string): boolean => file === path || file.startsWith(`${path}/`);
  const commonFolder = git?.commonFolder ?? join(workspace, '.git');
  const gitFolder = join(commonFolder, 'worktrees', relative(join(path, '..'), path));
  return {
    ...facts,
    workspace: path,
    git: { entry: join(path, '.git'), gitFolder, commonFolder },
    exists: (file) => file === gitFolder || exists(isIn(file) ? join(workspace, relative(path, file)) : file),
  };
}
