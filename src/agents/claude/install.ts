/**
 * What makes Claude Code host the loop under the bare names of the commands: the plugin's hooks and commands, without it.
 * The plugin tells its scripts that it is one; a call without that word is ours.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS, HOOK_SECONDS } from '../session/host.ts';
import type { HookGroup, SessionInstallation } from '../session/installations.ts';

const SECONDS_FOR_A_COMMAND = 60;
const SECONDS_FOR_CONTEXT = 30;
const SECONDS_FOR_A_MARK = 30;

export const claude: SessionInstallation = {
  folder: '.claude',
  userFolder: (home, { CLAUDE_CONFIG_DIR }) => CLAUDE_CONFIG_DIR || join(home, '.claude'),
  settings: 'settings.json',
  hooks: (_command, { plugin }) => {
    // The script finds node, and starts it only for a session that is in a loop. Words, not a line for a shell: no path needs quotes.
    const call = (args: readonly string[], timeout: number): HookGroup['hooks'] => [
      { type: 'command', command: join(plugin, 'hooks/session-loop.sh'), args, timeout },
    ];
    return {
      UserPromptExpansion: {
        matcher: `^(ralph:)?(${Object.keys(COMMANDS).join('|')})$`,
        hooks: call(['command'], SECONDS_FOR_A_COMMAND),
      },
      SessionStart: { matcher: 'resume|compact', hooks: call(['context'], SECONDS_FOR_CONTEXT) },
      PostToolUse: { hooks: call(['tool'], SECONDS_FOR_A_MARK) },
      PostToolUseFailure: { hooks: call(['tool'], SECONDS_FOR_A_MARK) },
      Stop: { hooks: call([], HOOK_SECONDS) },
    };
  },
  /** As they come with the plugin. Its other commands run what only a loaded plugin has. */
  files: (_command, { plugin }) => {
    const textOf = (path: string): string => readFileSync(join(plugin, path), 'utf8');
    const commands = Object.keys(COMMANDS).map((name) => [name, textOf(`commands/${name}.md`)] as const);
    // The skill names files of the plugin's folder, which only a loaded plugin knows by this name.
    const plan = textOf('skills/ralph-plan/SKILL.md').replaceAll(/\$\{CLAUDE_PLUGIN_ROOT\}/g, () => plugin);
    const all = [...commands, ['ralph-plan', plan] as const];
    return Object.fromEntries(all.map(([name, text]) => [`commands/${name}.md`, text]));
  },
  notes: [
    'Restart Claude Code sessions that are already running: they do not know the commands yet.',
    'Claude Code overrules a hook that has refused to let it stop 8 times in a row without a tool call in between. For loops that may need more, put "env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "101"} into its settings.json: one more than --max-iterations.',
  ],
};
