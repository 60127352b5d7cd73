/**
 * In a run of the harness every loaded copy of the plugin acts, because a file in /tmp that chose one of them could be
 * written by the agent, too. Each holds the agent; only the long reason is told by one of them.
 */
import { statSync } from 'node:fs';
import { digestOf } from '../../core/text/digest.ts';
import { claim, readOwn, sessionFile } from '../io/session-file.ts';

const KIND = 'ralph-stop-told';

/** Whether this stop has been told its reason already. It shortens a message, and never decides anything. */
export function isToldAlready(input: Readonly<Record<string, unknown>>, reason: string): boolean {
  const session = sessionFile(KIND, input.session_id);
  const transcript = typeof input.transcript_path === 'string' ? input.transcript_path : null;
  if (session === null || transcript === null) return false;
  // Between two stops the transcript has grown.
  const size = statSync(transcript, { throwIfNoEntry: false })?.size ?? 0;
  const path = `${session}.${digestOf(`${size} ${reason}`)}`;
  return !claim(path) && readOwn(path) !== null;
}
