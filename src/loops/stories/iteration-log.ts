/** `ralph/logs`: what each iteration's agent said and did, and a line per iteration for a spreadsheet. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopState } from '../../core/state.ts';
import { type Mask, maskAcrossLines } from '../../core/text/mask.ts';
import type { LoopEvent } from '../../engine/events.ts';
import { appendPlain } from '../../state/held-folder.ts';
import { DEFAULT_FORMAT, eventFormatter } from '../../stream/formatter.ts';
import type { StepSetting } from './steps.ts';
import type { StoriesData } from './story-state.ts';

const HEADER = 'iteration,mode,duration_seconds,commit_hash,stories_complete,stories_total,stuck_count,timestamp\n';

export function iterationLogName(iteration: number): string {
  return `iteration-${String(iteration).padStart(3, '0')}.log`;
}

export function iterationLog(
  { folder }: Pick<StepSetting, 'folder'>,
  mask: Mask,
  tell: (line: string) => void,
): (event: LoopEvent<StoriesData>) => void {
  const logs = join(folder, 'logs');
  const maskShown = maskAcrossLines(mask);
  let format = eventFormatter();
  let file = '';
  let isWritten = true;
  let began: { readonly mode: string; readonly at: number } | null = null;

  const append = (path: string, text: string): void => {
    if (path === '') return;
    try {
      appendPlain(path, text, { makes: true });
      isWritten = true;
    } catch (error) {
      // A log for people; the transcript and the journal are elsewhere.
      if (isWritten)
        tell(`WARNING: no log is written any more: ${error instanceof Error ? error.message : String(error)}`);
      isWritten = false;
    }
  };

  return (event) => {
    if (event.type === 'progress') {
      const text = event.event.type === 'stderr' ? event.event.text : format(event.event);
      const shown = text === null ? null : maskShown(text);
      if (shown !== null) append(file, `${shown}\n`);
    } else if (event.type === 'action') {
      const { action, state } = event;
      if (action.do !== 'start') return;
      const running = state.data.running;
      began = { mode: running?.mode ?? '', at: running?.beganAt ?? state.at };
      format = eventFormatter({ ...DEFAULT_FORMAT, emoji: false, maxOutputLines: 40, maxOutputChars: 4000, mask });
      file = join(logs, iterationLogName(state.iteration));
      append(file, `=== ${action.run.iteration}/${action.run.try} ${began.mode} ${running?.story.id ?? ''}\n`);
    } else if (isSettled(event.state)) {
      if (began === null) return;
      const summary = join(logs, 'summary.csv');
      append(summary, `${existsSync(summary) ? '' : HEADER}${summaryLine(event.state, began, event.record.at)}\n`);
      began = null;
    }
  };
}

/** What an iteration has come to is known once it was judged, and its approval verified. */
function isSettled({ phase, data }: LoopState<StoriesData>): boolean {
  return data.judged !== null && (data.running === null || phase.at === 'end');
}

function summaryLine(
  { iteration, data }: LoopState<StoriesData>,
  began: { readonly mode: string; readonly at: number },
  at: number,
): string {
  const { judged, stuckCount } = data;
  const seconds = Math.round((at - began.at) / 1000);
  const stories = [judged?.complete ?? 0, judged?.total ?? 0];
  const timestamp = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
  return [iteration, began.mode, seconds, judged?.head ?? '', ...stories, stuckCount, timestamp].join(',');
}
