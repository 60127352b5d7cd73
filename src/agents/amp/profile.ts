/** Amp: how to call `amp -x`. */
import { holds, unlessGiven, type Wanted } from '../flags.ts';
import { type AgentProfile, inFolder, needsStdin } from '../profile.ts';
import { ampParser, ampTextParser } from './stream.ts';

const STREAM_FLAGS = ['--stream-json', '--stream-json-thinking'] as const;
const STREAM: Wanted = { words: [STREAM_FLAGS[0]], or: [STREAM_FLAGS[1]] };
const AUTONOMY: Wanted = { words: ['--dangerously-allow-all'] };
const EXECUTE: Wanted = { words: ['-x'], or: ['--execute'] };

export const amp: AgentProfile = {
  name: 'amp',
  title: 'Amp',
  install: 'npm install -g @ampcode/cli',
  asksNothing: true,
  login: { variables: ['AMP_API_KEY'], files: [], how: 'run: amp login' },
  readsStdin: { flags: ['-x', '--execute'] },
  sandbox: {
    hosts: ['ampcode.com', '*.ampcode.com'],
    state: { usual: ['.local/share/amp', '.cache/amp'], trustedConfig: [] },
  },
  projectConfig: inFolder('.amp', ['plugins', 'settings.json', 'settings.jsonc', 'tools']),
  // No rehearsal: its agent loop runs on the vendor's servers.
  accountVariables: ['AMP_'],
  tellsCost: 'tokens',
  tested: 'by its documented stream',
  commandLine: (call) => {
    const { command, flags, prompt, mode } = call;
    const promptOnStdin = needsStdin(call);
    const wanted = unlessGiven(mode === 'stream' ? [STREAM, AUTONOMY] : [AUTONOMY], flags);
    // Amp takes the word after -x as the prompt.
    const execute = [...unlessGiven([EXECUTE], flags), ...(promptOnStdin ? [] : [prompt])];
    return { argv: [command, ...wanted, ...flags, ...execute], promptOnStdin };
  },
  parser: ({ mode, flags }) =>
    mode === 'stream' || STREAM_FLAGS.some((flag) => holds(flags, flag)) ? ampParser() : ampTextParser(),
};
