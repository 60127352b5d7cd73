/** Claude Code: how `claude -p` is called. */

import { givenValue, unlessGiven, type Wanted } from '../flags.ts';
import { type AgentProfile, needsStdin } from '../profile.ts';
import { claudeParser } from './stream.ts';
import { claudeTextParser } from './text.ts';

const STREAM: readonly Wanted[] = [{ words: ['--output-format', 'stream-json'] }, { words: ['--verbose'] }];
const TEXT: readonly Wanted[] = [{ words: ['--output-format', 'text'] }];

export const claude: AgentProfile = {
  name: 'claude',
  title: 'Claude Code',
  install: 'npm install -g @anthropic-ai/claude-code',
  versionArguments: ['--version'],
  helpArguments: null,
  environment: {},
  keys: ['ANTHROPIC_API_KEY'],
  autonomy: ['--dangerously-skip-permissions'],
  taskFlags: [
    { words: ['--input-format', 'text'] },
    { words: ['--tools', 'default'] },
    { words: ['--permission-mode', 'bypassPermissions'], or: ['--dangerously-skip-permissions'] },
  ],
  readsStdin: { flags: ['-p', '--print'] },
  tellsCost: 'dollars',
  tested: 'with 2.1.325',
  commandLine: (call) => {
    const { command, flags, prompt, mode } = call;
    const promptOnStdin = needsStdin(call);
    const print = unlessGiven([{ words: ['-p'], or: ['--print'] }], flags);
    const wanted = unlessGiven(mode === 'text' ? TEXT : STREAM, flags);
    return { argv: [command, ...print, ...wanted, ...flags, ...(promptOnStdin ? [] : [prompt])], promptOnStdin };
  },
  // The user's own flags may ask for another format than ours.
  parser: ({ mode, flags }) =>
    mode !== 'text' && (givenValue(flags, '--output-format') ?? 'stream-json') === 'stream-json'
      ? claudeParser()
      : claudeTextParser(),
};
