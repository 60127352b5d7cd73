/** The commits of an iteration, for people: how its agent moved HEAD, and what the loop committed. Pure. */

import { inOneLine } from '../verdict-lines.ts';
import type { CommitRange, Iteration } from './iteration.ts';

export interface MadeCommits {
  readonly by: 'agent' | 'loop';
  /** `51affc0`, `1234567..89abcde` */
  readonly name: string;
}

/** In the order in which they were made: the loop commits what its agent left uncommitted. */
export function madeCommits({ commit, agentCommits }: Pick<Iteration, 'commit' | 'agentCommits'>): MadeCommits[] {
  const isOfLoop = commit !== null && commit !== agentCommits?.to;
  return [
    ...(agentCommits === null ? [] : [{ by: 'agent' as const, name: rangeName(agentCommits) }]),
    ...(isOfLoop ? [{ by: 'loop' as const, name: shortName(commit) }] : []),
  ];
}

const rangeName = ({ from, to }: CommitRange): string =>
  from === null ? shortName(to) : `${shortName(from)}..${shortName(to)}`;

const shortName = (commit: string): string => inOneLine(commit).slice(0, 7);
