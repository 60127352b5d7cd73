/** The plan of a `run` loop: what it is about to begin with, and which problems prevent that. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { otherAgentHint } from '../../agents/command.ts';
import type { Settings } from '../../config/settings.ts';
import type { LoopTerms } from '../../core/budget/terms.ts';
import { plural } from '../../core/budget/usage.ts';
import { COMMAND } from '../../core/check.ts';
import { RalphError } from '../../core/error.ts';
import { warning } from '../../core/finding.ts';
import { namesOf } from '../../core/proof/names-of.ts';
import { reasonOf } from '../../core/system-fault.ts';
import type { LoopPlan, Preflight } from '../../engine/loop-plan.ts';
import { whyNoReview } from '../../engine/reviewer.ts';
import { makeFolders } from '../../process/files.ts';
import type { Host } from '../../process/host.ts';
import { findProgram } from '../../process/which.ts';
import { hasIdentity, uncommittedFiles, untrackedFiles } from '../../scm/git.ts';
import type { RunRequest } from './request.ts';
import type { RunInputs } from './state.ts';
import { whyNoWorktree } from './worktree.ts';

interface PlanPlace extends Pick<LoopPlan, 'cwd' | 'env'> {
  readonly request: RunRequest;
  readonly terms?: Pick<LoopTerms, 'fallbacks'>;
  /** The loop will work in a new worktree. Whether checks can run there is tested once it exists. */
  readonly inWorktree?: boolean;
  /** Create nothing on disk, not even a folder. */
  readonly looksOnly?: boolean;
}

export function loopPlan(inputs: RunInputs, place: PlanPlace, problems: readonly RalphError[] = []): LoopPlan {
  const { cwd, env, request, inWorktree = false, looksOnly = false, terms } = place;
  const { agent, guardrails, scm, review } = inputs;
  const uncheckable = looksOnly ? null : () => whyUncheckable(inputs, cwd, env);
  const own = inWorktree ? whyNoWorktree(cwd) : (uncheckable?.() ?? null);
  return {
    cwd,
    env,
    agents: [
      agent,
      ...(terms?.fallbacks ?? []).map((fallback) => ({ ...fallback, flag: '--fallback' as const })),
      ...(review === undefined ? [] : [{ ...review.by, flag: '--review-agent' as const }]),
    ],
    ...(request.agent === null ? {} : { choosingHint: CHOOSING_HINT }),
    sandbox: request.sandbox?.kind,
    runner: request.runner,
    checks: guardrails.flatMap(({ command, check }) => ((check?.kind ?? COMMAND) === COMMAND ? [command] : [])),
    scm: scm ?? undefined,
    problems: [own, review === undefined ? null : whyNoReview(cwd), ...problems].filter((problem) => problem !== null),
  };
}

export const CHOOSING_HINT = otherAgentHint('--agent');

/** Guardrails need `mkfifo` for their output, and a writable folder for their logs. */
export function whyUncheckable({ guardrails }: RunInputs, cwd: string, env: NodeJS.ProcessEnv): RalphError | null {
  if (guardrails.length === 0) return null;
  if (findProgram('mkfifo', env.PATH, cwd) === null) {
    return new RalphError('MKFIFO', 'guardrails cannot be run: mkfifo is not installed', {
      hint: 'Install it (it is part of coreutils), or add its folder to PATH.',
    });
  }
  const folder = join(cwd, '.ralph');
  try {
    makeFolders(folder);
    accessSync(folder, constants.W_OK);
    return null;
  } catch (error) {
    return new RalphError('LOG_FOLDER', `cannot write the logs of guardrails to ${folder}: ${reasonOf(error)}`, {
      hint: 'Make it writable, then run the command again.',
    });
  }
}

interface Beginning {
  readonly cwd: string;
  readonly proves: boolean;
}

export async function warnOfUncommitted(
  { scm }: Settings,
  { cwd, proves }: Beginning,
  host: Host,
  preflight: Preflight | undefined,
) {
  if (preflight === undefined || scm?.tasks.includes('commit') !== true) return;
  const [files, isNamed] = await Promise.all([uncommittedFiles(scm, cwd, host), hasIdentity(scm, cwd, host)]);
  if (!isNamed) {
    const fix = 'git config --global user.name "…"; git config --global user.email "…"';
    preflight.warn(warning('git does not know who you are: commits will fail', fix));
  }
  const unknown = proves && scm.stage === 'tracked' ? await untrackedFiles(scm, cwd, host) : [];
  if (unknown.length > 0) {
    const fix = 'if the checks need one, git add it, or set scm.stage to "all": the loop commits no new files';
    preflight.warn(warning(`not in the commits that are to be proved: ${namesOf(unknown)}`, fix));
  }
  if (files === 0) return;
  const [they, them] = files === 1 ? ['it', 'it'] : ['they', 'them'];
  const fix = `${they} will be part of the first commit; --worktree keeps ${them} out`;
  preflight.warn(warning(`the work tree has ${plural(files, 'uncommitted file')}`, fix));
}
