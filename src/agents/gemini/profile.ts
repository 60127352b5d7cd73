/** Gemini CLI: how it is called without a terminal. */

import { givenValue, unlessGiven, type Wanted } from '../flags.ts';
import { plainParser } from '../plain/profile.ts';
import type { AgentProfile } from '../profile.ts';
import { geminiParser } from './stream.ts';

/** Without a terminal it refuses every tool that it would ask about. */
const WANTED: readonly Wanted[] = [
  { words: ['-o', 'stream-json'], or: ['--output-format'] },
  { words: ['--approval-mode', 'yolo'], or: ['-y', '--yolo'] },
];

export const gemini: AgentProfile = {
  name: 'gemini',
  title: 'Gemini CLI',
  install: 'npm install -g @google/gemini-cli',
  versionArguments: ['--version'],
  helpArguments: null,
  environment: {},
  keys: ['GEMINI_API_KEY'],
  taskFlags: [{ words: ['--screen-reader', 'true'] }],
  readsStdin: { flags: ['-p', '--prompt'] },
  tellsCost: 'tokens',
  tested: 'with 0.61.0',
  commandLine: ({ command, flags }) => ({
    argv: [command, ...unlessGiven(WANTED, flags), ...flags],
    promptOnStdin: true,
  }),
  parser: ({ flags }) =>
    (givenValue(flags, '-o', '--output-format') ?? 'stream-json') === 'stream-json' ? geminiParser() : plainParser(),
};
