/** pi: how `pi -p` is called. It asks for no permission. */

import { givenValue, unlessGiven, type Wanted } from '../flags.ts';
import { plainParser } from '../plain/profile.ts';
import type { AgentProfile } from '../profile.ts';
import { piParser } from './stream.ts';

const WANTED: readonly Wanted[] = [{ words: ['-p'], or: ['--print'] }, { words: ['--mode', 'json'] }];

export const pi: AgentProfile = {
  name: 'pi',
  title: 'pi',
  install: 'npm install -g @earendil-works/pi-coding-agent',
  versionArguments: ['--version'],
  helpArguments: null,
  environment: {},
  readsStdin: { flags: ['-p', '--print'] },
  tellsCost: 'dollars',
  tested: 'with 0.74.2 and 0.87.1',
  commandLine: ({ command, flags }) => ({
    argv: [command, ...unlessGiven(WANTED, flags), ...flags],
    promptOnStdin: true,
  }),
  parser: ({ flags }) => ((givenValue(flags, '--mode') ?? 'json') === 'json' ? piParser() : plainParser()),
};
