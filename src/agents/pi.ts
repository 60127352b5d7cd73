/** pi: how `pi -p` is called. It asks for no permission. */
import type { AgentAdapter } from './adapter.ts';
import { givenValue, unlessGiven, type Wanted } from './flags.ts';
import { piParser } from './pi-stream.ts';
import { plainParser } from './plain.ts';

const WANTED: readonly Wanted[] = [{ words: ['-p'], or: ['--print'] }, { words: ['--mode', 'json'] }];

export const pi: AgentAdapter = {
  name: 'pi',
  title: 'pi',
  install: 'npm install -g @earendil-works/pi-coding-agent',
  versionArguments: ['--version'],
  helpArguments: null,
  environment: {},
  tellsCost: 'dollars',
  tested: 'with 0.74.2 and 0.87.1',
  commandLine: ({ command, flags }) => ({
    argv: [command, ...unlessGiven(WANTED, flags), ...flags],
    promptOnStdin: true,
  }),
  parser: ({ flags }) => ((givenValue(flags, '--mode') ?? 'json') === 'json' ? piParser() : plainParser()),
};
