/** How Claude Code is started with a loop inside its session, which the plugin's hooks turn. */
import { RalphError } from '../../core/error.ts';
import { CAP_VARIABLE } from './hook.ts';

const PRINT = ['-p', '--print'];

/** What would bring another session's history along; old promises stand in it, and work that is not this loop's. */
const OTHER_SESSION = /^(?:--(?:resume|continue|fork-session|from-pr|teleport|session-id)(?:=.*)?|-p*[cr].*)$/s;

export const claudeLaunch = {
  name: 'claude',
  title: 'Claude Code',
  // Linux takes 128 KiB as one argument of a program; a longer task is read from its file, which needs leave to be read.
  longestText: 100_000,
  unit: 'bytes',
  /** How the commands are typed in a session that has our plugin. */
  typing: { slash: '/ralph:', needsEsc: true },

  /** It overrules a hook that has refused to let it stop so many times in a row. */
  environment: (maximumIterations: number) => ({ [CAP_VARIABLE]: String(maximumIterations + 1) }),

  /** The arguments after the user's own. `readable` is one more folder that the agent may read. */
  begin: (session: string, plugin: string, prompt: string, readable: string | null): string[] => {
    const leave = readable === null ? [] : ['--add-dir', readable];
    return [...leave, '--session-id', session, '--plugin-dir', plugin, prompt];
  },

  resume: (args: readonly string[], session: string, plugin: string): string[] => {
    const prompt = args.some((arg) => PRINT.includes(arg)) ? ['Go on.'] : [];
    return [...args, '--plugin-dir', plugin, '--resume', session, ...prompt];
  },

  /** Throws for arguments with which the task would not reach a session of its own. */
  refuse(args: readonly string[]): void {
    const flag = args.find((arg) => OTHER_SESSION.test(arg));
    if (flag !== undefined) {
      throw new RalphError('SESSION_FLAGS', `ralph session begins a session of its own, which ${flag} would not be`, {
        hint: 'To loop in a session that exists, open it with Claude Code and our plugin, and type /ralph:ralph-loop there',
      });
    }
    // Claude Code takes the first prompt that it finds, and the task would never reach it.
    const text = args.find((arg, index) => PRINT.includes(args[index - 1] ?? '') && !arg.startsWith('-'));
    if (text !== undefined) {
      throw new RalphError('SESSION_FLAGS', `"${text}" would be Claude Code's prompt instead of the loop's task`, {
        hint: 'The task is what stands behind the -p of ralph session; behind -- claude a -p stands alone',
      });
    }
  },
} as const;
