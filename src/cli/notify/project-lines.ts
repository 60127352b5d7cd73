/** What the current project's settings say about notifications: the events that they mute, or the error in them. */
import { projectEvents } from '../../config/notify-settings.ts';
import { RalphError } from '../../core/error.ts';
import { NOTICE_EVENTS, type NoticeEvent } from '../../core/notice.ts';

export interface ProjectMutes {
  readonly muted: readonly NoticeEvent[];
  /** The error in its settings; null for none. */
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

/** Names the events that are left if that is shorter. */
export function mutedWords(muted: readonly NoticeEvent[]): string {
  const left = mutedBy(muted);
  if (left.length === 0) return 'everything';
  return left.length < muted.length ? `everything except ${left.join(', ')}` : muted.join(', ');
}
