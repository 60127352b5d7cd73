/** The commits that a loop, or its agent, has made. Pure. */
import { plural } from '../../../core/budget/usage.ts';
import type { Detail } from '../../data.ts';
import { oneLine } from '../../text.ts';
import type { Pane, PaneDrawing } from '../pane.ts';

export function commitsPane({ timeline }: Detail, { paint, clock }: PaneDrawing): Pane {
  const rows = (timeline?.iterations ?? []).flatMap(
    ({ number, commit, filesChanged, endedAt, startedAt, outcome, published }) => {
      const failed = published.filter(({ status }) => status === 'failed');
      const made =
        commit === null
          ? []
          : [
              ` ${paint('yellow', oneLine(commit).slice(0, 7).padEnd(7))}  ${clock(endedAt ?? startedAt)}  iteration ${number}  ${filesChanged === null ? '' : `${plural(filesChanged, 'file')} changed  `}${paint('dim', oneLine(outcome.words))}`,
            ];
      return [
        ...made,
        ...failed.map(({ task, detail }) => ` ${paint('red', `✗ ${oneLine(task)}: ${oneLine(detail)}`)}`),
      ];
    },
  );
  const lines = rows.toReversed();
  if (lines.length === 0) return { lines: [paint('dim', ' No commit was made yet.')] };
  return {
    lines: [
      ...lines,
      '',
      paint('dim', ' To see one, run in its project: git show <commit>. What an iteration changed: press d.'),
    ],
  };
}
