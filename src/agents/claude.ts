/** Claude Code: how `claude -p` is called. */
import { type AgentAdapter, type AgentCall, LONGEST_ARGUMENT } from './adapter.ts';
import { claudeParser } from './claude-stream.ts';
import { plainParser } from './plain.ts';

export const claude: AgentAdapter = {
  name: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  commandLine: ({ command, flags, prompt, mode }: AgentCall) => {
    const wanted = mode === 'stream' ? ['--output-format', 'stream-json', '--verbose'] : ['--output-format', 'text'];
    // A prompt that looks like a flag, or is too long for an argument, goes in by stdin.
    const promptOnStdin = prompt.startsWith('-') || Buffer.byteLength(prompt) > LONGEST_ARGUMENT;
    const print = flags.some((flag) => flag === '-p' || flag === '--print') ? [] : ['-p'];
    return {
      argv: [command, ...print, ...unlessGiven(wanted, flags), ...flags, ...(promptOnStdin ? [] : [prompt])],
      promptOnStdin,
    };
  },
  parser: ({ mode, flags }) => (mode === 'stream' && streams(flags) ? claudeParser() : plainParser()),
};

/** The user's own flags may ask for another format than ours. */
function streams(flags: readonly string[]): boolean {
  const format = flags.findLast(
    (flag, index) => flags[index - 1] === '--output-format' || flag.startsWith('--output-format='),
  );
  return format === undefined || format.endsWith('stream-json');
}

/** Keeps an option with its value out when the user's flags already hold that option. */
function unlessGiven(wanted: readonly string[], given: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < wanted.length; i++) {
    const option = wanted[i] ?? '';
    const hasValue = wanted[i + 1]?.startsWith('--') === false;
    const isGiven = given.some((flag) => flag === option || flag.startsWith(`${option}=`));
    if (!isGiven) kept.push(option, ...(hasValue ? [wanted[i + 1] ?? ''] : []));
    if (hasValue) i++;
  }
  return kept;
}
