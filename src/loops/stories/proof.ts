/** A stories loop proves its work once, when every story is approved: when it does, and what follows from it. Pure. */
import { type Checked, COMMAND } from '../../core/check.ts';
import type { Ending } from '../../core/ending.ts';
import { adviceFor, beganWith, findingSentence, problemOfBase, whyTampered } from '../../core/proof/claims.ts';
import {
  type BaseAsked,
  type BaseProof,
  type ClaimAsked,
  commandOfFinding,
  type Proof,
  wordsOfFinding,
} from '../../core/proof/proof.ts';
import type { LoopState } from '../../core/state.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import { printable } from '../../stream/printable.ts';
import { commandsOf, KEPT_OUTPUT, type StoriesData } from './state.ts';

/** The base proof is made once, before the first agent starts. A loop without checks proves nothing. */
export function needsBase({ data, startedIn }: Pick<LoopState<StoriesData>, 'data' | 'startedIn'>): boolean {
  return data.request.proof !== undefined && startedIn === 0 && data.proof.base === null && commandsOf(data).length > 0;
}

export const needsProof = (data: StoriesData): boolean =>
  data.request.proof !== undefined && data.proof.base !== null && commandsOf(data).length > 0;

export function baseAsked(data: StoriesData): BaseAsked {
  const { proof: terms, verifyTimeoutMs: timeoutMs } = data.request;
  if (terms === undefined) throw new Error('a loop that proves nothing was asked for a proof');
  const how = { kind: COMMAND, timeoutMs, ...KEPT_OUTPUT };
  return { terms, commits: true, checks: commandsOf(data).map((command) => ({ command, given: { command }, ...how })) };
}

/** `isCommitted`: in a stories loop, the agents commit their work themselves. */
export function claimAsked({ data, iteration, progress }: LoopState<StoriesData>): ClaimAsked {
  const snapshot = progress.notes.at(-1)?.snapshot ?? null;
  return { ...baseAsked(data), base: beganWith(data.proof), isCommitted: true, iteration, snapshot };
}

/** Why the loop cannot begin, given what a check said in the work tree; null if it can. */
export const whyOnlyThere = (base: BaseProof, { index: at, outcome }: Pick<Checked, 'index' | 'outcome'>) =>
  problemOfBase(base, (index) => ({ isWitness: false, inTree: index === at ? outcome : null }));

/** The failed proof that revokes an approval; null if red commands revoke it, or nothing does. */
export function rejectedBy({ proof: { last }, verifying }: StoriesData): Proof | null {
  const isGreen = verifying !== null && verifying.red.length === 0;
  return isGreen && last !== null && last.findings.length > 0 ? last : null;
}

export const whyRejected = (proof: Proof): string =>
  proof.findings.map((finding) => printable(findingSentence(finding, proof))).join('; ');

/** For the agent that has to fix it. Control characters in a program's output must not reach the list or a prompt. */
export function proofFeedback(proof: Proof): string {
  return [
    'All stories were approved, but this one does not count: the loop ran verifyCommands in a clean checkout of the commit, and the proof failed:',
    ...proof.findings.map((finding) => {
      const command = commandOfFinding(finding);
      const said = 'output' in finding ? printable(finding.output ?? '').trimEnd() : '';
      return linesOf(
        command !== null && `$ ${printable(command)}`,
        `${printable(wordsOfFinding(finding, proof.at))}. ${adviceFor(finding, proof.at) ?? ''}`.trimEnd(),
        said !== '' && `Its output:\n${said}`,
      ).join('\n');
    }),
  ].join('\n\n');
}

export const tamperedBy = (data: StoriesData): Ending | null => whyTampered(data.proof);
