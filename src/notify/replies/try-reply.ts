/** For `ralph notify test`: sends a button that does nothing, and waits for its press to come back. */
import { randomBytes } from 'node:crypto';
import type { ReceiverOf } from '../../config/notify-schema.ts';
import type { Duration } from '../../core/time.ts';
import type { NtfyExtras } from '../deliver/ntfy.ts';
import { listenForReplies } from './listen.ts';

export interface ReplyTrial {
  readonly extras: NtfyExtras;
  /** Resolves to true when the button is pressed, or to false after the limit. */
  arrives(limit: Duration, onTrouble: (why: string) => void): Promise<boolean>;
}

export const TRIAL_LABEL = 'It works';

export function replyTrial(receiver: ReceiverOf<'ntfy'>, now: number, second: Duration): ReplyTrial {
  const token = randomBytes(18).toString('base64url');
  const since = String(Math.floor(now / 1000) - 1);
  return {
    extras: { buttons: [{ label: TRIAL_LABEL, body: token }], note: null },
    async arrives(limit, onTrouble) {
      let arrived = false;
      const over = new AbortController();
      const timer = setTimeout(() => over.abort(), limit);
      const onReply = async ({ message }: { readonly message: string }): Promise<void> => {
        if (message.trim() !== token) return;
        arrived = true;
        over.abort();
      };
      await listenForReplies({ receiver, since: () => since, onReply, onTrouble, signal: over.signal, second });
      clearTimeout(timer);
      return arrived;
    },
  };
}
