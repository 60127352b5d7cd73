/** Any other command: the prompt is its last argument, and its output is plain text. */
import { type AgentParser, type AgentProfile, LONGEST_ARGUMENT } from '../profile.ts';

export const plain: AgentProfile = {
  name: 'plain',
  title: 'any other command',
  install: null,
  tellsCost: 'nothing',
  tested: 'as plain text',
  commandLine: ({ command, flags, prompt, wantsStdin = false }) => {
    const promptOnStdin = wantsStdin || Buffer.byteLength(prompt) > LONGEST_ARGUMENT;
    return { argv: [command, ...flags, ...(promptOnStdin ? [] : [prompt])], promptOnStdin };
  },
  parser: plainParser,
};

export function plainParser(): AgentParser {
  return { hasStructure: false, parse: (line) => [{ type: 'text', text: line }] };
}
