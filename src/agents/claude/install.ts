/**
 * Installs the loop into Claude Code without the plugin: the plugin's hooks and commands, the commands without prefix.
 * The plugin passes an extra argument to its scripts; a call without it comes from this installation.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { COMMANDS, HOOK_SECONDS } from '../session/host.ts';
import type { HookGroup, SessionInstallation } from '../session/installations.ts';
import { CAP_VARIABLE } from './hook.ts';

const SECONDS_FOR_A_COMMAND = 60;
const SECONDS_FOR_CONTEXT = 30;
const SECONDS_FOR_A_MARK = 30;

export const claude: SessionInstallation = {
  folder: '.claude',
  userFolder: (home, { CLAUDE_CONFIG_DIR }) => CLAUDE_CONFIG_DIR || join(home, '.claude'),
  settings: 'settings.json',
  hooks: (_command, { plugin }) => {
    // The script finds node, and starts it only for a session that is in a loop. An argument list, not a shell command,
    // so no path needs quotes.
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
  /** Taken from the plugin. Its other commands need parts that only a loaded plugin has. */
  files: (_command, { plugin }) => {
    const textOf = (path: string): string => readFileSync(join(plugin, path), 'utf8');
    const commands = Object.keys(COMMANDS).map((name) => [name, textOf(`commands/${name}.md`)] as const);
    // The skill refers to the plugin's files by a variable that only a loaded plugin has.
    const plan = textOf('skills/ralph-plan/SKILL.md').replaceAll(/\$\{CLAUDE_PLUGIN_ROOT\}/g, () => plugin);
    const all = [...commands, ['ralph-plan', plan] as const];
    return Object.fromEntries(all.map(([name, text]) => [`commands/${name}.md`, text]));
  },
  notes: [
    'Restart Claude Code sessions that are already running: they do not know the commands yet.',
    'Claude Code overrules a hook that has refused to let it stop 8 times in a row without a tool call in between. For loops that may need more, put "env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "101"} into its settings.json: one more than --max-iterations.',
  ],
};

const PRINT = ['-p', '--print'];

/** Flags that would load another session's history, with old promises and work that is not this loop's. */
const OTHER_SESSION = /^(?:--(?:resume|continue|fork-session|from-pr|teleport|session-id)(?:=.*)?|-p*[cr].*)$/s;

/** How `ralph session` starts Claude Code with a loop in its session, driven by the plugin's hooks. */
export const claudeLaunch = {
  name: 'claude',
  title: 'Claude Code',
  // Linux limits one argument to 128 KiB; a longer task is read from its file, which needs a permission.
  longestText: 100_000,
  unit: 'bytes',
  typing: { slash: '/ralph:', needsEsc: true },

  /** Raises the cap above which Claude Code overrules a hook that refuses to let it stop. */
  environment: (maximumIterations: number) => ({ [CAP_VARIABLE]: String(maximumIterations + 1) }),

  /** The arguments after the user's own. `readable` is an additional folder that the agent can read. */
  begin: (session: string, plugin: string, prompt: string, readable: string | null): string[] => {
    const leave = readable === null ? [] : ['--add-dir', readable];
    return [...leave, '--session-id', session, '--plugin-dir', plugin, prompt];
  },

  resume: (args: readonly string[], session: string, plugin: string): string[] => {
    const prompt = args.some((arg) => PRINT.includes(arg)) ? ['Go on.'] : [];
    return [...args, '--plugin-dir', plugin, '--resume', session, ...prompt];
  },

  /** Throws if the arguments would keep the task from reaching a session of its own. */
  refuse(args: readonly string[]): void {
    const flag = args.find((arg) => OTHER_SESSION.test(arg));
    if (flag !== undefined) {
      throw new RalphError('SESSION_FLAGS', `ralph session begins a session of its own, which ${flag} would not be`, {
        hint: 'To loop in a session that exists, open it with Claude Code and our plugin, and type /ralph:ralph-loop there',
      });
    }
    // Claude Code uses the first prompt that it finds, so the task would never reach it.
    const text = args.find((arg, index) => PRINT.includes(args[index - 1] ?? '') && !arg.startsWith('-'));
    if (text !== undefined) {
      throw new RalphError('SESSION_FLAGS', `"${text}" would be Claude Code's prompt instead of the loop's task`, {
        hint: 'Give the task with the -p of ralph session; after -- claude, use -p without a prompt',
      });
    }
  },
} as const;
