/** What an agent must find on the disk to host the loop inside its sessions: data only, which an installer writes. */
import { quoteWord } from '../../../core/text/quote-word.ts';

export interface HostFiles {
  /** Of the agent, in the home folder or in a project; all other paths are in it. */
  readonly folder: string;
  /** JSON, whose `hooks` hold the groups below and may hold others. */
  readonly settings: string;
  /** By event, one group each. */
  readonly hooks: Readonly<Record<string, HookGroup>>;
  /** What makes the commands known to the agent, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** For people, a sentence a line: what they must still do, and how a loop is started. */
  readonly notes: readonly string[];
}

/** The same of an agent that has no hooks, but is extended by files of ours alone. */
export type ExtensionFiles = Omit<HostFiles, 'settings' | 'hooks'>;

export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly Readonly<Record<string, string | number | readonly string[]>>[];
}

/** Agents hand a hook's command to a shell. */
export function shellLine(command: readonly string[]): string {
  return command.map(quoteWord).join(' ');
}
