/** What the project that `ralph notify` is run in says of its loops: which messages it mutes, and what it may not say. */
import { projectEvents } from '../../config/notify-settings.ts';
import { RalphError } from '../../core/error.ts';
import { NOTICE_EVENTS, type NoticeEvent } from '../../core/notice.ts';

export interface ProjectMutes {
  readonly muted: readonly NoticeEvent[];
  /** What is wrong with its settings; null for nothing. */
  readonly refused: string | null;
}

export function projectMutes(cwd: string): ProjectMutes {
  try {
    return { muted: mutedBy(projectEvents(cwd)), refused: null };
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return { muted: [], refused: error.message };
  }
}

export function projectLines({ muted, refused }: ProjectMutes): string[] {
  if (refused !== null) return refused.split('\n').map((line) => `warning: ${line}`);
  return muted.length === 0 ? [] : [`This project's settings mute ${mutedWords(muted)}`];
}

export const mutedBy = (wanted: readonly NoticeEvent[]): NoticeEvent[] =>
  NOTICE_EVENTS.filter((event) => !wanted.includes(event));

/** What is left is named where that is shorter. */
export function mutedWords(muted: readonly NoticeEvent[]): string {
  const left = mutedBy(muted);
  if (left.length === 0) return 'everything';
  return left.length < muted.length ? `everything except ${left.join(', ')}` : muted.join(', ');
}
