/** Is a command an interactive agent that we know? Only such a one is waited for; any other gets its prompt at once. */
import { basename } from 'node:path';
import { INTERACTIVE_AGENTS, type InteractiveAgent } from './agents.ts';

/** What makes an agent answer once without a screen, and its subcommands that are no conversation. */
const NOT_INTERACTIVE: Readonly<Record<string, { flags: readonly string[]; words: readonly string[] }>> = {
  claude: {
    flags: ['-p', '--print'],
    words: ['mcp', 'config', 'doctor', 'update', 'install', 'plugin', 'setup-token', 'auth', 'agents'],
  },
  codex: {
    flags: [],
    words: [
      'exec',
      'e',
      'review',
      'login',
      'logout',
      'mcp',
      'mcp-server',
      'app-server',
      'apply',
      'completion',
      'sandbox',
    ],
  },
  gemini: { flags: ['-p', '--prompt'], words: ['mcp', 'extensions', 'skills', 'hooks'] },
  opencode: {
    flags: [],
    words: [
      'run',
      'serve',
      'web',
      'auth',
      'agent',
      'models',
      'stats',
      'export',
      'import',
      'github',
      'mcp',
      'upgrade',
      'acp',
    ],
  },
  copilot: { flags: ['-p', '--prompt'], words: ['login', 'help', 'update', 'version'] },
  qwen: { flags: ['-p', '--prompt'], words: ['mcp', 'extensions', 'auth'] },
  pi: { flags: ['-p', '--print', '--mode'], words: ['install', 'remove', 'update', 'list', 'config'] },
};

const ALWAYS = ['-h', '--help', '-v', '-V', '--version'];

export type AgentCommand =
  | { readonly kind: 'interactive'; readonly agent: InteractiveAgent }
  /** An agent that we know, but it takes its prompt by stdin or argument and has no screen. */
  | { readonly kind: 'headless'; readonly name: string }
  | { readonly kind: 'other' };

/** The program's own name: `env` and a path before it do not matter. */
export function programOf(command: readonly string[]): string {
  return basename(withoutEnv(command)[0] ?? '');
}

export function agentCommand(command: readonly string[]): AgentCommand {
  const [program = '', ...args] = withoutEnv(command);
  const agent = INTERACTIVE_AGENTS.find(({ name }) => name === basename(program));
  if (agent === undefined) return { kind: 'other' };
  const { flags, words } = NOT_INTERACTIVE[agent.name] ?? { flags: [], words: [] };
  const isFlagged = args.some((arg) => [...flags, ...ALWAYS].includes(arg.split('=')[0] ?? ''));
  const isHeadless = isFlagged || words.includes(args[0] ?? '');
  return isHeadless ? { kind: 'headless', name: agent.name } : { kind: 'interactive', agent };
}

/** `env KEY=VALUE … program` is how a pane is given variables. */
function withoutEnv(command: readonly string[]): readonly string[] {
  if (basename(command[0] ?? '') !== 'env') return command;
  const at = command.findIndex((word, index) => index > 0 && !/^[A-Za-z_]\w*=/.test(word));
  return at < 0 ? [] : command.slice(at);
}
