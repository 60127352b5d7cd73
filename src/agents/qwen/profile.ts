/** Qwen Code: how it is called without a terminal. */

import { givenValue, unlessGiven, type Wanted } from '../flags.ts';
import { plainParser } from '../plain/profile.ts';
import type { AgentProfile } from '../profile.ts';
import { qwenParser, qwenStderr } from './stream.ts';

const WANTED: readonly Wanted[] = [
  { words: ['-o', 'stream-json'], or: ['--output-format'] },
  // Without a terminal it refuses every tool that it would ask about.
  { words: ['-y'], or: ['--yolo', '--approval-mode'] },
];

export const qwen: AgentProfile = {
  name: 'qwen',
  title: 'Qwen Code',
  install: 'npm install -g @qwen-code/qwen-code',
  versionArguments: ['--version'],
  helpArguments: null,
  // At a limit it would repeat its calls for an hour without a word; with this it tells that it waits, and is ended.
  environment: { QWEN_CODE_UNATTENDED_RETRY: '1' },
  readsStdin: { flags: ['-p', '--prompt'] },
  tellsCost: 'tokens',
  tested: 'with 0.15.10 and 0.24.4',
  commandLine: ({ command, flags }) => ({
    argv: [command, ...unlessGiven(WANTED, flags), ...flags],
    promptOnStdin: true,
  }),
  parser: ({ flags }) =>
    (givenValue(flags, '-o', '--output-format') ?? 'stream-json') === 'stream-json'
      ? qwenParser()
      : { ...plainParser(), parseStderr: (line) => qwenStderr(line, Date.now()) },
};
