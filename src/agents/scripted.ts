/** The agent that comes with ralph: it plays a script, speaks as Claude Code does, and needs no account. */
import type { AgentAdapter } from './adapter.ts';
import { claudeParser } from './claude-stream.ts';

export const scripted: AgentAdapter = {
  name: 'scripted',
  title: 'the scripted agent',
  install: null,
  versionArguments: ['--version'],
  helpArguments: null,
  environment: {},
  tellsCost: 'nothing',
  tested: 'in the demo',
  commandLine: ({ command, flags, prompt }) => ({ argv: [command, ...flags, '-p', prompt], promptOnStdin: false }),
  parser: claudeParser,
};
