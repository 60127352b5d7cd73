/** Where each agent's configuration lies, and what goes into it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostName } from '../../hooks/session/host.ts';
import { type ClaudePlugin, claudeFiles } from '../../loops/session/hosts/claude.ts';
import { codexFiles } from '../../loops/session/hosts/codex.ts';
import { COMMANDS } from '../../loops/session/hosts/commands.ts';
import { geminiFiles } from '../../loops/session/hosts/gemini.ts';
import type { ExtensionFiles, HostFiles } from '../../loops/session/hosts/host-files.ts';
import { opencodeFiles } from '../../loops/session/hosts/opencode.ts';
import type { Installation } from './plan.ts';

export type { HostName };

export type Scope = 'project' | 'user';

export interface Surroundings {
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

export function wiringOf(host: HostName, scope: Scope, surroundings: Surroundings): Wiring {
  const found = hostFiles(host, surroundings);
  const folder = scope === 'project' ? join(surroundings.cwd, found.folder) : userFolder(host, surroundings);
  return {
    folder,
    notes: scope === 'project' ? [...found.notes, OF_THIS_MACHINE] : found.notes,
    settings:
      'settings' in found
        ? { path: join(folder, found.settings), comments: host === 'gemini', groups: found.hooks }
        : null,
    files: Object.fromEntries(Object.entries(found.files).map(([path, content]) => [join(folder, path), content])),
  };
}

const OF_THIS_MACHINE =
  'The paths in these files are those of this machine: do not commit them for others, or use --user. After node or ralph has moved, call this again.';

function hostFiles(host: HostName, { hook, dist }: Surroundings): HostFiles | ExtensionFiles {
  switch (host) {
    case 'claude':
      return claudeFiles(claudePlugin(join(dist, '../plugin')));
    case 'codex':
      return codexFiles(hook);
    case 'gemini':
      return geminiFiles(hook);
    case 'opencode':
      return opencodeFiles(hook, join(dist, 'hooks/ralph-opencode.js'));
  }
}

/** As it comes with our package. Its other commands run what only a loaded plugin has. */
function claudePlugin(folder: string): ClaudePlugin {
  const textOf = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const commands = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, textOf(`commands/${name}.md`)]));
  // The skill names files of the plugin's folder, which only a loaded plugin knows by this name.
  const plan = textOf('skills/ralph-plan/SKILL.md').replaceAll(/\$\{CLAUDE_PLUGIN_ROOT\}/g, () => folder);
  return {
    script: join(folder, 'hooks/session-loop.sh'),
    commands: { ...commands, 'ralph-plan': plan },
  };
}

/** As the agents find it themselves. */
function userFolder(host: HostName, { home, variables }: Surroundings): string {
  switch (host) {
    case 'claude':
      return variables.CLAUDE_CONFIG_DIR || join(home, '.claude');
    case 'codex':
      return variables.CODEX_HOME || join(home, '.codex');
    case 'gemini':
      return join(variables.GEMINI_CLI_HOME || home, '.gemini');
    case 'opencode':
      return join(variables.XDG_CONFIG_HOME || join(home, '.config'), 'opencode');
  }
}
