/** opencode: how `opencode run` is called. */

import { givenValue, unlessGiven, type Wanted } from '../flags.ts';
import { plainParser } from '../plain/profile.ts';
import type { AgentProfile } from '../profile.ts';
import { opencodeParser } from './stream.ts';

/** It repeats failed calls in silence, for hours if it must; only its log tells. */
const LOG: readonly Wanted[] = [{ words: ['--print-logs'] }, { words: ['--log-level', 'ERROR'] }];

export const opencode: AgentProfile = {
  name: 'opencode',
  title: 'opencode',
  install: 'npm install -g opencode-ai',
  versionArguments: ['--version'],
  helpArguments: null,
  environment: {},
  readsStdin: { words: ['run'] },
  tellsCost: 'dollars',
  tested: 'with 1.18.33',
  commandLine: ({ command, flags }) => {
    const wanted = unlessGiven([{ words: ['--format', 'json'] }, ...LOG], flags);
    return { argv: [command, 'run', ...wanted, ...flags], promptOnStdin: true };
  },
  parser: ({ flags }) => ((givenValue(flags, '--format') ?? 'json') === 'json' ? opencodeParser() : plainParser()),
};
