/** How the prompt goes in, by the command: pasted where a person would type, piped where a program reads. */
import { basename } from 'node:path';
import type { SandboxRequest } from '../../../runners/sandbox/request.ts';
import type { PromptVia } from './rules.ts';

/** What makes each agent read its prompt from stdin and exit: a flag, or the first word that is no flag. */
const READS_STDIN: Readonly<
  Record<string, { readonly flags?: readonly string[]; readonly words?: readonly string[] }>
> = {
  claude: { flags: ['-p', '--print'] },
  codex: { words: ['exec', 'e'] },
  gemini: { flags: ['-p', '--prompt'] },
  opencode: { words: ['run'] },
  copilot: { flags: ['-p', '--prompt'] },
  qwen: { flags: ['-p', '--prompt'] },
  pi: { flags: ['-p', '--print'] },
  amp: { flags: ['-x', '--execute'] },
};

/** A Docker Sandbox hands a command's stdin to nobody: there the prompt is an argument. */
export function promptVia(
  [program = '', ...args]: readonly string[],
  wanted: PromptVia | null,
  sandbox: SandboxRequest['kind'] = 'none',
): PromptVia {
  if (wanted !== null) return wanted;
  const { flags = [], words = [] } = READS_STDIN[basename(program)] ?? {};
  const firstWord = args.find((arg) => !arg.startsWith('-'));
  const reads = args.some((arg) => flags.includes(arg)) || (firstWord !== undefined && words.includes(firstWord));
  if (!reads) return 'paste';
  return sandbox === 'docker' ? 'arg' : 'stdin';
}

/** The command as it is started: with the prompt as its last argument, or on its stdin, or bare. */
export function commandWith(
  argv: readonly string[],
  via: PromptVia,
  prompt: { readonly text: string; readonly file: string },
): readonly string[] {
  if (via === 'arg') return [...argv, prompt.text];
  return via === 'stdin' ? ['sh', '-c', 'exec "$@" <"$0"', prompt.file, ...argv] : argv;
}
