/**
 * The moves that need no waiting: everything but the agent's own turn. Starting is telling: the session's agent gets
 * the prompt from whoever turns the crank, the command that starts the session or the hook that keeps it going.
 */
import type { Action } from '../../core/action.ts';
import type { Result } from '../../core/record.ts';

export function performInSession(action: Action): Result | null {
  switch (action.do) {
    case 'read-inputs':
      return { kind: 'inputs', digest: 'given at the start' };
    case 'start':
      return { kind: 'started', handle: { runner: 'session', name: '' } };
    case 'wait':
      return { kind: 'waited' };
    default:
      return null;
  }
}

/** The folder of the loop that belongs to a session, or null for a name that is no session's. */
export function sessionLoopId(session: string): string | null {
  return /^[\w-]{1,100}$/.test(session) ? `session-${session}` : null;
}
