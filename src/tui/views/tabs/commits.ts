/** The commits that a loop, or its agent, has made. Pure. */
import { plural } from '../../../core/budget/usage.ts';
import type { Iteration } from '../../../views/timeline/iteration.ts';
import { madeCommits } from '../../../views/timeline/iteration-commits.ts';
import type { Detail, LoopItem } from '../../data.ts';
import { oneLine } from '../../text.ts';
import type { Pane, PaneDrawing } from '../pane.ts';

const SEE = [
  ' To see one, run in its project: git show <commit>, or git log <from>..<to>.',
  ' What an iteration changed: press d.',
];

/** Newest first, so the loop's own commit is above those of its agent. */
export function commitsPane({ timeline }: Detail, { loop }: LoopItem, drawing: PaneDrawing): Pane {
  const { paint } = drawing;
  const rows = (timeline?.iterations ?? []).flatMap((iteration) => [
    ...madeRows(iteration, drawing),
    ...iteration.published
      .filter(({ status }) => status === 'failed')
      .map(({ task, detail }) => ` ${paint('red', `✗ ${oneLine(task)}: ${oneLine(detail)}`)}`),
  ]);
  if (rows.length === 0) return { lines: [paint('dim', noCommit(loop))] };
  return { lines: [...rows.toReversed(), '', ...SEE.map((line) => paint('dim', line))] };
}

function madeRows(iteration: Iteration, { paint, clock }: PaneDrawing): string[] {
  const { number, filesChanged, endedAt, startedAt, outcome } = iteration;
  const files = filesChanged === null ? '' : `${plural(filesChanged, 'file')} changed  `;
  const made = madeCommits(iteration);
  return made.map(({ by, name }, index) => {
    const more = index === made.length - 1 ? files : '';
    return ` ${paint('yellow', name.padEnd('1234567..1234567'.length))}  ${clock(endedAt ?? startedAt)}  iteration ${number}  ${by.padEnd('agent'.length)}  ${more}${paint('dim', oneLine(outcome.words))}`;
  });
}

function noCommit({ loopKind }: LoopItem['loop']): string {
  if (loopKind === 'session') return ' Its agent works in a session: what it commits there is not recorded.';
  return ' No commits are recorded.';
}
