/** What a review needs on this machine: the agent named for it, which must change nothing, and the diff it is given. */
import { dirname } from 'node:path';
import { readOnlyFlags } from '../agents/installed.ts';
import { RalphError } from '../core/error.ts';
import type { ReviewDiff, ReviewSteps, ReviewTerms } from '../core/review/review.ts';
import { reasonOf } from '../core/system-fault.ts';
import { realPathSoFar } from '../process/files.ts';
import { pathOutsideOf } from '../runners/sandbox/own-environment.ts';
import { isUnder } from '../runners/sandbox/policy.ts';
import { type DiffForm, showDiff } from '../scm/snapshots/diff.ts';
import { findStore } from '../scm/snapshots/store.ts';
import { findGit } from '../state/git-place.ts';
import { type FallbackSpec, namedAgent, type StartedAgent } from './fallbacks.ts';
import type { StepPerformers } from './performers/perform.ts';

/** `codex`, or `claude:sonnet`, and how many claims it may reject before the loop ends. */
export type ReviewSpec = FallbackSpec & Readonly<{ rounds: number }>;

interface Reviewing {
  readonly own: StartedAgent;
  /** The flags that an agent is started with in this loop. */
  readonly flagsOf: (command: string) => readonly string[];
  /** It runs in one of our sandboxes, in which an agent cannot open its own. */
  readonly isEnclosed: boolean;
}

/** Adds the flags that keep the agent from changing anything, if it has some. */
export function reviewTerms({ rounds, ...spec }: ReviewSpec, { own, flagsOf, isEnclosed }: Reviewing): ReviewTerms {
  const named = namedAgent(spec, own, flagsOf, '--review-agent');
  const { name, command, flags } = named;
  if (isSame(named, own)) {
    const hint = `Name another agent, or another model of it: --review-agent ${spec.agent}:<model>`;
    throw new RalphError('REVIEW', `--review-agent ${name} is the agent that the loop works with`, { hint });
  }
  return { by: { name, command, flags: readOnlyFlags(command, flags, isEnclosed) ?? flags }, rounds };
}

/** Regardless of the order of the flags: a named model is put first. */
function isSame(one: StartedAgent, other: StartedAgent): boolean {
  const words = ({ command, flags }: StartedAgent): string => [command, ...flags.toSorted()].join('\0');
  return words(one) === words(other);
}

/** `own`: a folder that the loop itself writes to while its agents run. */
export function whyNoReview(cwd: string, own: string | null = null): RalphError | null {
  const git = findGit(cwd);
  if (git === null) {
    const hint = 'Run git init, or leave out --review-agent.';
    return new RalphError('REVIEW', `--review-agent needs a git repository: ${cwd} is in none`, { hint });
  }
  const root = dirname(git.entry);
  if (own === null || !isUnder(realPathSoFar(own), realPathSoFar(root))) return null;
  // What the loop writes there would look like changes by the reviewer.
  const hint = 'Choose a folder outside of it with --root, or another work tree with --cwd.';
  return new RalphError('REVIEW', `--review-agent: the tasks lie in the work tree that is reviewed: ${own}`, { hint });
}

/** More would not fit into a prompt with everything else; the reviewer finds the rest in the work tree. */
const LONGEST_PATCH = 60_000;
const LONGEST_STAT = 8000;

/** `loop`: its folder. */
export function reviewDiff(loop: string, env: NodeJS.ProcessEnv): StepPerformers<ReviewSteps>['diff'] {
  return async ({ from, to }, { signal }): Promise<ReviewDiff> => {
    const store = findStore(loop);
    if (store === null || from === null || to === null) return { unknown: 'the work tree was not kept' };
    // The agent could have put a `git` of its own into the work tree.
    const own = { ...env, PATH: pathOutsideOf(store.root, env) };
    const read = async (form: DiffForm, longest: number): Promise<{ text: string; isCut: boolean }> => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const onOutput = (chunk: Buffer): boolean => {
        chunks.push(chunk);
        bytes += chunk.length;
        return bytes <= longest;
      };
      await showDiff(store, { from, to, form }, { env: own, signal, onOutput });
      // A character that was cut in half is dropped.
      const text = Buffer.concat(chunks).subarray(0, longest).toString('utf8');
      return bytes <= longest ? { text, isCut: false } : { text: text.replace(/\uFFFD+$/, ''), isCut: true };
    };
    try {
      const { text: patch, isCut } = await read('patch', LONGEST_PATCH);
      if (!isCut) return { patch, stat: null };
      const stat = await read('stat', LONGEST_STAT);
      return { patch, stat: stat.isCut ? `${stat.text}\n…` : stat.text };
    } catch (error) {
      if (signal.aborted) throw error;
      // The reviewer still has the work tree.
      return { unknown: reasonOf(error) };
    }
  };
}
