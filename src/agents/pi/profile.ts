/** pi: how to call `pi -p`. It never asks for permission. */
import { inFormat, promptOnStdin, type Wanted } from '../flags.ts';
import { type AgentProfile, inFolder, REHEARSAL } from '../profile.ts';
import { faultOfErrorLine } from '../reading/faults.ts';
import { piParser } from './stream.ts';

const WANTED: readonly Wanted[] = [{ words: ['-p'], or: ['--print'] }, { words: ['--mode', 'json'] }];
const SCRIPTED = {
  id: REHEARSAL.model,
  name: 'Scripted',
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200_000,
  maxTokens: 8192,
};

export const pi: AgentProfile = {
  name: 'pi',
  title: 'pi',
  install: 'npm install -g @earendil-works/pi-coding-agent',
  asksNothing: true,
  modelOption: ['--model'],
  readsStdin: { flags: ['-p', '--print'] },
  sandbox: {
    hosts: ['*.anthropic.com', 'api.openai.com', 'generativelanguage.googleapis.com'],
    state: { variable: 'PI_CODING_AGENT_DIR', usual: ['.pi'], trustedConfig: ['extensions', 'settings.json'] },
  },
  projectConfig: inFolder('.pi', ['extensions', 'prompts', 'settings.json', 'skills']),
  accountVariables: ['PI_'],
  rehearsal: {
    variables: ({ folder }) => ({
      PI_CODING_AGENT_DIR: folder,
      PI_OFFLINE: '1',
      PI_TELEMETRY: '0',
      PI_SKIP_VERSION_CHECK: '1',
    }),
    // The vendors' models also lead to the local server, so that a project's own `--model` can be rehearsed as it is.
    files: ({ url }) => ({
      'models.json': JSON.stringify({
        providers: {
          [REHEARSAL.provider]: {
            baseUrl: `${url}/v1`,
            api: 'openai-completions',
            apiKey: REHEARSAL.key,
            models: [SCRIPTED],
          },
          anthropic: { baseUrl: url },
          openai: { baseUrl: `${url}/v1` },
          google: { baseUrl: `${url}/v1beta` },
        },
      }),
      'settings.json': JSON.stringify({ defaultProvider: REHEARSAL.provider, defaultModel: REHEARSAL.model }),
    }),
  },
  tellsCost: 'dollars',
  tested: 'with 0.74.2 and 0.87.1',
  terminal: {
    screen: { input: { at: 'between-rules' }, busy: { line: /^\s*[\u2801-\u28ff] Working\.\.\./ } },
    headlessFlags: ['--mode'],
    subcommands: ['install', 'remove', 'update', 'list', 'config'],
    faultIn: faultOfErrorLine,
  },
  commandLine: promptOnStdin(WANTED),
  parser: inFormat(['--mode'], 'json', piParser),
};
