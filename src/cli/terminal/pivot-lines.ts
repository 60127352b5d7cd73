/** What every loop kind shows about a run that asks the agent for a different plan: its start and its result. */
import { MARKS } from '../../core/closing/closing-summary.ts';
import { PIVOT } from '../../core/progress/progress.ts';
import type { LoopState } from '../../core/state.ts';
import type { Mask } from '../../core/text/mask.ts';
import { wrap } from '../../core/text/wrap.ts';
import type { LoopEvent } from '../../engine/drive.ts';
import { cutToColumns } from '../../stream/columns.ts';
import { printable } from '../../stream/printable.ts';
import type { Paint } from '../../views/paint.ts';
import { inOneLine } from '../../views/verdict-lines.ts';

interface Look {
  readonly paint: Paint;
  readonly mask: Mask;
  readonly width: number;
}

/** Null if the event is not about such a run. */
export function pivotLines<Data>(event: LoopEvent<Data>, look: Look): string[] | null {
  if (event.type === 'action') {
    const isPivot = event.action.do === 'start' && event.action.run.purpose === PIVOT;
    return isPivot ? startLines(event.state, look) : null;
  }
  if (event.type !== 'record' || event.record.result.kind !== 'ran') return null;
  return event.record.key.includes(`/${PIVOT}/`) ? planLines(event.state, look) : null;
}

/** Announces the extra call, because it costs money. */
function startLines({ progress }: Pick<LoopState<unknown>, 'progress'>, { paint, width }: Look): string[] {
  const line = `${MARKS['needs-you']} Stuck: ${inOneLine(progress.stuck ?? '')}. Asking the agent once for a different plan (an extra call).`;
  return wrap(line, '', '  ', width).map((part) => paint('yellow', part));
}

const SHOWN_PLAN_LINES = 8;
const CHANGED = 'warning: that run has changed files, although it was asked not to';

function planLines({ progress }: Pick<LoopState<unknown>, 'progress'>, { paint, mask, width }: Look): string[] {
  const warning =
    progress.pivot?.hasChanged === true ? wrap(CHANGED, '', '  ', width).map((line) => paint('yellow', line)) : [];
  const lines = mask(progress.pivot?.plan ?? '')
    .split('\n')
    .map((line) => printable(line).replaceAll('\t', '  ').trimEnd())
    .filter((line) => line !== '');
  if (lines.length === 0) return ['The agent gave no plan; the loop continues without one.', ...warning];
  const more = lines.length > SHOWN_PLAN_LINES ? ['    …'] : [];
  const shown = lines.slice(0, SHOWN_PLAN_LINES).map((line) => `    ${cutToColumns(line, width - 4)}`);
  return ['The plan, which goes into the next prompts until there is progress:', ...shown, ...more, ...warning];
}
