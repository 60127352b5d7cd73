/** What each agent must find on the disk to host the loop inside its sessions: data only, which an installer writes. */
import { claude } from '../claude/install.ts';
import { codex } from '../codex/install.ts';
import { gemini } from '../gemini/install.ts';
import { opencode } from '../opencode/install.ts';
import type { HostName } from './host.ts';

export interface SessionInstallation {
  /** Of the agent, in a project; all other paths are in it. */
  readonly folder: string;
  /** The same for all projects of a user, as the agent finds it itself. */
  userFolder(home: string, variables: Readonly<Record<string, string | undefined>>): string;
  /** JSON, whose `hooks` hold the groups below and may hold others; absent for an agent that is extended by files alone. */
  readonly settings?: string;
  readonly allowsComments?: true;
  /** By event, one group each. `command` is what the agent is to call with an event. */
  hooks?(command: readonly string[], ours: OurFolders): Readonly<Record<string, HookGroup>>;
  /** What makes the commands known to the agent, by path. */
  files(command: readonly string[], ours: OurFolders): Readonly<Record<string, string>>;
  /** For people, a sentence a line: what they must still do, and how a loop is started. */
  readonly notes: readonly string[];
}

export interface OurFolders {
  readonly dist: string;
  readonly plugin: string;
}

export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly Readonly<Record<string, string | number | readonly string[]>>[];
}

/** What `ralph session` starts. */
export { claudeLaunch as launch } from '../claude/install.ts';

export const INSTALLATIONS: Readonly<Record<HostName, SessionInstallation>> = { claude, codex, gemini, opencode };
