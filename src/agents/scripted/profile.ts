/** The agent that comes with ralph: it plays a script, speaks as Claude Code does, and needs no account. */

import { claudeParser } from '../claude/stream.ts';
import type { AgentProfile } from '../profile.ts';

export const scripted: AgentProfile = {
  name: 'scripted',
  title: 'the scripted agent',
  install: null,
  tellsCost: 'nothing',
  tested: 'in the demo',
  commandLine: ({ command, flags, prompt }) => ({ argv: [command, ...flags, '-p', prompt], promptOnStdin: false }),
  parser: claudeParser,
};
