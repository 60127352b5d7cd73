/** Where an agent's configuration lies, and what goes into it. */
import { join } from 'node:path';
import type { HostName } from '../../agents/session/host.ts';
import { INSTALLATIONS } from '../../agents/session/installations.ts';
import type { Installation } from './plan.ts';

export type Scope = 'project' | 'user';

export interface WiringOptions {
  readonly cwd: string;
  readonly home: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The command that the agent is to call with an event. */
  readonly hook: readonly string[];
  /** The folder of the built package. */
  readonly dist: string;
}

export interface Wiring extends Installation {
  /** The agent's folder: all files lie in it. */
  readonly folder: string;
  /** For people, afterwards. */
  readonly notes: readonly string[];
}

export function wiringOf(host: HostName, scope: Scope, { cwd, home, variables, hook, dist }: WiringOptions): Wiring {
  const { settings, notes, allowsComments = false, ...agent } = INSTALLATIONS[host];
  const ours = { dist, plugin: join(dist, '../plugin') };
  const folder = scope === 'project' ? join(cwd, agent.folder) : agent.userFolder(home, variables);
  const files = Object.entries(agent.files(hook, ours)).map(([path, text]): [string, string] => [
    join(folder, path),
    text,
  ]);
  const groups = agent.hooks?.(hook, ours) ?? {};
  return {
    folder,
    notes: scope === 'project' ? [...notes, OF_THIS_MACHINE] : notes,
    settings: settings === undefined ? null : { path: join(folder, settings), comments: allowsComments, groups },
    files: Object.fromEntries(files),
  };
}

const OF_THIS_MACHINE =
  'The paths in these files are those of this machine: do not commit them for others, or use --user. After node or ralph has moved, call this again.';
