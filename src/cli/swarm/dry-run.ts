/** `swarm spawn --dry-run`: shows what would be started, and what its sandbox would allow; creates nothing. */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { agentsAccess } from '../../agents/index.ts';
import { programOf } from '../../agents/pane.ts';
import { quoteWord } from '../../core/text/quote-word.ts';
import { sandboxOf } from '../../loops/swarm/workers/record.ts';
import { withoutSwarm } from '../../loops/swarm/workers/sandbox.ts';
import type { SpawnRequest } from '../../loops/swarm/workers/spawn.ts';
import type { Swarm } from '../../loops/swarm/workers/swarm.ts';
import { environmentOfGit, planWorktree } from '../../loops/swarm/workers/worktree.ts';
import { findProgram } from '../../process/which.ts';
import { type PolicyFacts, policyFacts } from '../../runners/sandbox/facts.ts';
import { NO_SANDBOX } from '../../runners/sandbox/request.ts';
import { sandboxLinesFrom } from '../terminal/dry-run-lines.ts';

/** `loop`: a line about the loop that the worker would have. */
export async function dryRun(swarm: Swarm, request: SpawnRequest, loop: string | null = null): Promise<number> {
  const { say, home, stateRoot } = swarm;
  const { name, cmd, tmux, env } = request.worker;
  const sandbox = sandboxOf(request.worker);
  const { cwd, from } = await folderOf(swarm, request);
  say(`Worker: ${name} (${tmux === null ? 'a background process' : `tmux: ${tmux.session}:${name}`})`);
  if (loop !== null) say(`Loop: ${loop}`);
  say(`Folder: ${cwd}${from === null ? '' : ' (a worktree that would be created)'}`);
  say(`\nCommand line:\n  ${cmd.map(quoteWord).join(' ')}`);
  const [program = ''] = cmd;
  const path = findProgram(program, swarm.env.PATH, from ?? cwd);
  say(path === null ? `  warning: ${program} is not on the PATH` : `  runs ${path}`);
  say('');
  const access = agentsAccess(programOf(cmd));
  const facts = policyFacts({ loop: name, cwd: from ?? cwd, env: { ...swarm.env, ...env }, stateRoot, access });
  const begun = from === null ? facts : inWorktree(facts, cwd);
  // The swarm's folder is created with the first worker.
  const exists = (file: string): boolean => file === home || begun.exists(file);
  for (const line of await sandboxLinesFrom(withoutSwarm(sandbox ?? NO_SANDBOX, home), { ...begun, exists })) say(line);
  say('\nDry run: nothing was started.');
  return 0;
}

/** `from`: the repository of a worktree that does not exist yet. */
async function folderOf(swarm: Swarm, { worker, worktree }: SpawnRequest) {
  if (worktree === null) return { cwd: worker.cwd, from: null };
  const env = environmentOfGit(swarm, sandboxOf(worker) !== null);
  const quiet = { ...swarm, warn: () => undefined };
  const { path, base_repo } = await planWorktree(quiet, { name: worker.name, ...worktree }, env);
  return { cwd: path, from: existsSync(path) ? null : base_repo };
}

/** The facts as they will be once the worktree exists, with the files that the repository has now. */
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
