/** Writes `ralph/logs`: what each iteration's agent said and did, and a CSV file with one line per iteration. */
import { existsSync, lstatSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { RalphError } from '../../core/error.ts';
import type { LoopState } from '../../core/state.ts';
import { reasonOf } from '../../core/system-fault.ts';
import { type Mask, maskAcrossLines } from '../../core/text/mask.ts';
import type { Instant } from '../../core/time.ts';
import type { LoopEvent } from '../../engine/drive.ts';
import { appendPlain, inHeldFolder, removeEntry } from '../../state/held-folder.ts';
import { isoSeconds } from '../../state/projection.ts';
import { DEFAULT_FORMAT, eventFormatter } from '../../stream/formatter.ts';
import type { StoriesProject } from './project.ts';
import type { StoriesData } from './state.ts';

const HEADER = 'iteration,mode,duration_seconds,commit_hash,stories_complete,stories_total,stuck_count,timestamp\n';

export function iterationLogName(iteration: number): string {
  return `iteration-${String(iteration).padStart(3, '0')}.log`;
}

export function iterationLog(folder: string, mask: Mask, tell: (line: string) => void) {
  const logs = join(folder, 'logs');
  const maskShown = maskAcrossLines(mask);
  let format = eventFormatter();
  let file = '';
  let isWritten = true;
  let began: { readonly mode: string; readonly at: Instant } | null = null;

  const append = (path: string, text: string): void => {
    if (path === '') return;
    try {
      appendPlain(path, text, { makes: true });
      isWritten = true;
    } catch (error) {
      // Only a log for people: the loop relies on transcript and journal. A `RalphError` already names the path.
      const why = error instanceof RalphError ? error.message : `cannot write ${path}: ${reasonOf(error)}`;
      if (isWritten) tell(`WARNING: no log is written any more: ${why}`);
      isWritten = false;
    }
  };

  return (event: LoopEvent<StoriesData>): void => {
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
    } else if (event.type === 'record' && began !== null && isJudged(event.state)) {
      const summary = join(logs, 'summary.csv');
      const { data, iteration } = event.state;
      const { at } = event.record;
      const { head = null, complete = 0, total = 0 } = data.judged ?? {};
      const seconds = Math.round((at - began.at) / 1000);
      const row = [iteration, began.mode, seconds, head, complete, total, data.stuckCount, isoSeconds(at)].join(',');
      append(summary, `${existsSync(summary) ? '' : HEADER}${row}\n`);
      began = null;
    }
  };
}

/** The result of an iteration is known once it was judged, and its approval verified. */
function isJudged({ phase, data }: LoopState<StoriesData>): boolean {
  return data.judged !== null && (data.running === null || phase.at === 'end');
}

/**
 * Every loop numbers its logs from 1, so those of an earlier loop are moved into a folder named after it. If `logs` is
 * a link, it is left alone: the user made it.
 */
export function putLogsAside({ folder, ralphDir }: StoriesProject, loop: string, earlier: string | null): string[] {
  const logs = join(folder, 'logs');
  if (typeOf(logs) !== 'folder') return [];
  const isOurs = (name: string): boolean => /^(?:iteration-\d+\.log|summary\.csv)$/.test(name);
  const names = readdirSync(logs).filter((name) => isOurs(name) && typeOf(join(logs, name)) === 'file');
  if (names.length === 0) return [];
  const aside = earlier ?? `before-${loop}`;
  inHeldFolder(logs, {}, (from) =>
    inHeldFolder(join(logs, aside), { makes: true, clearsBelow: logs }, (to) => {
      for (const name of names) {
        if (typeOf(join(to, name)) !== 'file') removeEntry(join(to, name));
        renameSync(join(from, name), join(to, name));
      }
    }),
  );
  return [`The logs of the last loop are in ${ralphDir}/logs/${aside}/`];
}

function typeOf(path: string): 'file' | 'folder' | 'other' {
  const there = lstatSync(path, { throwIfNoEntry: false });
  return there?.isFile() ? 'file' : there?.isDirectory() ? 'folder' : 'other';
}
