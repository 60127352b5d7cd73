/** The prompt of `ralph run`: a word of the command line, a flag, stdin, or PROMPT.md. */
import { fstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { quoteWord } from '../../core/text/quote-word.ts';
import { refuseEmpty } from '../../loops/run/inputs.ts';
import { isStdin, readToEnd } from '../../process/read-once.ts';

/** Prompts of seed 001's flags are passed on as they are; the others also tell the agent how to say that it is done. */
export interface PromptGiven {
  readonly prompt: string | null;
  readonly promptFile: string | null;
  readonly asksForResponse: boolean;
  /** A detached process can read it again from there. */
  readonly isOnCommandLine: boolean;
}

interface PromptFlags {
  readonly prompt?: string;
  readonly promptFile?: string;
}

/** What people call it in loops of their own. */
const PROMPT_FILE = 'PROMPT.md';

export async function promptOf(
  words: readonly string[],
  flags: PromptFlags,
  cwd: string,
  cancel: AbortSignal,
): Promise<PromptGiven> {
  // An empty prompt counts as none.
  const [text, file] = [flags.prompt || null, flags.promptFile || null];
  if (text !== null && file !== null) throw wrongPrompt('cannot specify both --prompt and --prompt-file');
  const [word = null] = words;
  if (word !== null) {
    refuseWords(words, text === null ? (file === null ? null : '--prompt-file') : '--prompt', cwd);
    return { prompt: word, promptFile: null, asksForResponse: true, isOnCommandLine: true };
  }
  if (text !== null) return { prompt: text, promptFile: null, asksForResponse: false, isOnCommandLine: true };
  const prompt = await promptFromStdin(file, cancel);
  const given = { prompt, promptFile: prompt === null ? file : null, isOnCommandLine: false };
  if (prompt !== null || file !== null) return { ...given, asksForResponse: file === null };
  // People who type `ralph` and nothing else want to know what it is.
  const isBare = process.argv.length <= 2;
  if (isBare || !isFile(PROMPT_FILE, cwd)) throw wrongPrompt('must specify prompt (--prompt or --prompt-file)');
  return { ...given, promptFile: PROMPT_FILE, asksForResponse: true };
}

function refuseWords(words: readonly string[], flag: string | null, cwd: string): void {
  const all = words.join(' ');
  if (flag !== null) throw wrongPrompt(`the prompt is given twice: ${quoted(all)} and ${flag}`);
  const [word = ''] = words;
  if (words.length > 1) {
    throw new RalphError('PROMPT', 'put the prompt in quotes', { hint: `For example: ralph run ${quoted(all)}` });
  }
  if (!isFile(word, cwd)) return;
  const hint = `To send the file, run: ralph run -f ${quoteWord(word)}`;
  throw new RalphError('PROMPT', `${word} is a file; did you mean -f ${quoteWord(word)}?`, { hint });
}

/** In double quotes, as people write it, if a shell reads it the same way. */
const quoted = (text: string): string => (/["$`\\!]/.test(text) ? quoteWord(text) : `"${text}"`);

/** False also if it cannot be read: a prompt can be too long for the name of a file. */
function isFile(name: string, cwd: string): boolean {
  try {
    return statSync(resolve(cwd, name)).isFile();
  } catch {
    return false;
  }
}

/** Null unless stdin is meant: with `-f -`, or if it is a pipe or a file and there is no other prompt. */
async function promptFromStdin(promptFile: string | null, cancel: AbortSignal): Promise<string | null> {
  if (promptFile === null ? !hasStdin() : !isStdin(promptFile)) return null;
  if (process.stdin.isTTY) {
    process.stderr.write('Reading the prompt from the terminal; press Ctrl-D on an empty line to end it.\n');
  }
  const prompt = await readToEnd(process.stdin, 'stdin', cancel);
  if (promptFile === null && prompt === '') return null;
  refuseEmpty(prompt, 'the prompt from stdin');
  return prompt;
}

function hasStdin(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    // Stdin is closed.
    return false;
  }
}

function wrongPrompt(message: string): RalphError {
  return new RalphError('PROMPT', message, { hint: 'For example: ralph run "Fix the failing tests"' });
}
