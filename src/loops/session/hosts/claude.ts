/**
 * What makes Claude Code host the loop under the bare names of the commands: the plugin's hooks and commands, without it.
 * The plugin tells its scripts that it is one; a call without that word is ours.
 */
import { HOOK_SECONDS } from '../request.ts';
import { COMMANDS } from './commands.ts';
import type { HookGroup, HostFiles } from './host-files.ts';

const SECONDS_FOR_A_COMMAND = 60;
const SECONDS_FOR_CONTEXT = 30;
const SECONDS_FOR_A_MARK = 30;

export interface ClaudePlugin {
  /** Its script that finds node, and starts it only for a session that is in a loop. */
  readonly script: string;
  /** The texts of its commands, by name. */
  readonly commands: Readonly<Record<string, string>>;
}

export function claudeFiles({ script, commands }: ClaudePlugin): HostFiles {
  // Words, not a line for a shell: no path needs quotes.
  const call = (args: readonly string[], timeout: number): HookGroup['hooks'] => [
    { type: 'command', command: script, args, timeout },
  ];
  return {
    folder: '.claude',
    settings: 'settings.json',
    hooks: {
      UserPromptExpansion: {
        matcher: `^(ralph:)?(${Object.keys(COMMANDS).join('|')})$`,
        hooks: call(['command'], SECONDS_FOR_A_COMMAND),
      },
      SessionStart: { matcher: 'resume|compact', hooks: call(['context'], SECONDS_FOR_CONTEXT) },
      PostToolUse: { hooks: call(['tool'], SECONDS_FOR_A_MARK) },
      PostToolUseFailure: { hooks: call(['tool'], SECONDS_FOR_A_MARK) },
      Stop: { hooks: call([], HOOK_SECONDS) },
    },
    files: Object.fromEntries(Object.entries(commands).map(([name, text]) => [`commands/${name}.md`, text])),
    notes: NOTES,
  };
}

const NOTES = [
  'A session of Claude Code that runs already does not know the commands yet: start it anew.',
  'Claude Code overrules a hook that has refused to let it stop 8 times in a row without a tool call in between. For loops that may need more, put "env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "101"} into its settings.json: one more than --max-iterations.',
];
