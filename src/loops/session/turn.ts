/**
 * The moves that need no waiting: everything but the agent's own turn, a check, and a word from a person. Starting is
 * telling: the session's agent gets its prompt from whoever turns the machine.
 */
import type { Action } from '../../core/action.ts';
import type { Result } from '../../core/record.ts';

export function performAtOnce(action: Action): Result | null {
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
