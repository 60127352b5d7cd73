/**
 * What the plugin tells the hook: one JSON object each; the hook answers with a `SessionAnswer`, or with nothing. opencode
 * has no hook programs of its own, so both ends are ours; the plugin runs inside opencode, the hook in node.
 */
import type { SessionCommand } from '../../session/host.ts';

export type PluginEvent = CommandTyped | AgentIdle;

interface InSession {
  readonly session: string;
  readonly cwd: string;
}

interface CommandTyped extends InSession {
  readonly hook: 'command';
  readonly command: SessionCommand;
  /** As it was typed. */
  readonly arguments: string;
  /** When the newest message of the session was made, in opencode's milliseconds; 0 without any. */
  readonly newest: number;
}

interface AgentIdle extends InSession {
  readonly hook: 'idle';
  /** Oldest first; only the model's own. */
  readonly messages: readonly SaidAndDone[];
}

/** One message of the agent. */
export interface SaidAndDone {
  readonly at: number;
  readonly texts: readonly string[];
  readonly tools: number;
  readonly hasOutput: boolean;
}
