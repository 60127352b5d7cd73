/** Copilot CLI: how it is called without a terminal. */

import { givenValue, unlessGiven, type Wanted } from '../flags.ts';
import { plainParser } from '../plain/profile.ts';
import type { AgentProfile } from '../profile.ts';
import { copilotParser } from './stream.ts';

const WANTED: readonly Wanted[] = [
  { words: ['--output-format', 'json'] },
  // Without a terminal it refuses every tool that it would ask about. Whoever allows some does not want all.
  { words: ['--allow-all'], or: ['--yolo', '--allow-all-tools', '--allow-tool', '--assisted-approval'] },
  { words: ['--no-ask-user'] },
];

export const copilot: AgentProfile = {
  name: 'copilot',
  title: 'Copilot CLI',
  install: 'npm install -g @github/copilot',
  versionArguments: ['--version'],
  helpArguments: null,
  environment: {},
  readsStdin: { flags: ['-p', '--prompt'] },
  tellsCost: 'nothing',
  tested: 'with 1.0.102',
  commandLine: ({ command, flags }) => ({
    argv: [command, ...unlessGiven(WANTED, flags), ...flags],
    promptOnStdin: true,
  }),
  parser: ({ flags }) =>
    (givenValue(flags, '--output-format') ?? 'json') === 'json' ? copilotParser() : plainParser(),
};
