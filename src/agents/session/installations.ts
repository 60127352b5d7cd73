/** The settings and files that an installer writes so that an agent hosts the loop inside its sessions. Data only. */
import { claude } from '../claude/install.ts';
import { codex } from '../codex/install.ts';
import { gemini } from '../gemini/install.ts';
import { opencode } from '../opencode/install.ts';
import type { HostName } from './host.ts';

export interface SessionInstallation {
  /** The agent's folder in a project; all other paths are relative to it. */
  readonly folder: string;
  /** The agent's folder for all projects of a user, found the way the agent finds it. */
  userFolder(home: string, variables: Readonly<Record<string, string | undefined>>): string;
  /** A JSON file whose `hooks` hold the groups below, among others; absent for an agent that only needs files. */
  readonly settings?: string;
  readonly allowsComments?: true;
  /** One group per event. `command` is what the agent calls with an event. */
  hooks?(command: readonly string[], ours: OurFolders): Readonly<Record<string, HookGroup>>;
  /** The files that define the commands for the agent, by path. */
  files(command: readonly string[], ours: OurFolders): Readonly<Record<string, string>>;
  /** For people, one sentence per line: what is left for them to do, and how to start a loop. */
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
