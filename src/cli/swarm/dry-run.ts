/** `swarm spawn --dry-run`: what would be started, and what its sandbox would allow; nothing is made. */
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { agentsAccess } from '../../agents/index.ts';
import { programOf } from '../../agents/pane.ts';
import { quoteWord } from '../../core/text/quote-word.ts';
import { withoutSwarm } from '../../loops/swarm/workers/sandbox.ts';
import type { SpawnRequest } from '../../loops/swarm/workers/spawn.ts';
import type { Swarm } from '../../loops/swarm/workers/swarm.ts';
import { environmentOfGit, planWorktree } from '../../loops/swarm/workers/worktree.ts';
import { findProgram } from '../../process/which.ts';
import { policyFacts } from '../../runners/sandbox/facts.ts';
import type { PolicyFacts } from '../../runners/sandbox/policy.ts';
import { NO_SANDBOX, type SandboxRequest } from '../../runners/sandbox/request.ts';
import { sandboxLinesFrom } from '../terminal/dry-run-lines.ts';

/** `loop`: a line on the loop that it would have. */
export async function dryRun(swarm: Swarm, request: SpawnRequest, loop: string | null = null): Promise<number> {
  const { say } = swarm;
  const { name, argv, tmux, sandbox } = request;
  const folder = await folderOf(swarm, request);
  say(`Worker: ${name} (${tmux === null ? 'a background process' : `tmux: ${tmux.session}:${name}`})`);
  if (loop !== null) say(`Loop: ${loop}`);
  say(`Folder: ${folder.cwd}${folder.from === null ? '' : ' (a worktree that would be made)'}`);
  say(`\nCommand line:\n  ${argv.map(quoteWord).join(' ')}`);
  const program = findProgram(argv[0], swarm.env.PATH, folder.from ?? folder.cwd);
  say(program === null ? `  warning: ${argv[0]} is not on the PATH` : `  runs ${program}`);
  say('');
  for (const line of await policyLines(swarm, request, folder, sandbox ?? NO_SANDBOX)) say(line);
  say('\nDry run: nothing was started.');
  return 0;
}

interface Folder {
  readonly cwd: string;
  /** The repository of a worktree that is not there yet. */
  readonly from: string | null;
}

async function folderOf(swarm: Swarm, request: SpawnRequest): Promise<Folder> {
  const { name, worktree, sandbox } = request;
  if (worktree === null) return { cwd: resolve(swarm.cwd, request.cwd ?? '.'), from: null };
  const quiet = { ...swarm, warn: () => undefined };
  const { path, base_repo } = await planWorktree(
    quiet,
    { name, ...worktree },
    environmentOfGit(swarm, sandbox !== null),
  );
  return { cwd: path, from: existsSync(path) ? null : base_repo };
}

async function policyLines(
  { home, env, stateRoot }: Swarm,
  { name, argv, env: own }: SpawnRequest,
  { cwd, from }: Folder,
  sandbox: SandboxRequest,
): Promise<string[]> {
  const access = agentsAccess(programOf(argv));
  const facts = policyFacts({ loop: name, cwd: from ?? cwd, env: { ...env, ...own }, stateRoot, access });
  const begun = from === null ? facts : inWorktree(facts, cwd);
  // It is made with the first worker.
  const exists = (path: string): boolean => path === home.path || begun.exists(path);
  return sandboxLinesFrom(withoutSwarm(sandbox, home), { ...begun, exists });
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
