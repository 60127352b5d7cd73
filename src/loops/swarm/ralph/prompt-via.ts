/** How the prompt goes in, by the command: pasted where a person would type, piped where a program reads. */
import { profileFor } from '../../../agents/index.ts';
import type { SandboxRequest } from '../../../runners/sandbox/request.ts';
import type { PromptVia } from './rules.ts';

/** A Docker Sandbox hands a command's stdin to nobody: there the prompt is an argument. */
export function promptVia(
  [program = '', ...args]: readonly string[],
  wanted: PromptVia | null,
  sandbox: SandboxRequest['kind'] = 'none',
): PromptVia {
  if (wanted !== null) return wanted;
  const { flags = [], words = [] } = profileFor(program).readsStdin ?? {};
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
