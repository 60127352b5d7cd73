/** Copilot CLI: how to call it without a terminal. */
import { inFormat, promptOnStdin, type Wanted } from '../flags.ts';
import { type AgentProfile, REHEARSAL } from '../profile.ts';
import { faultOfErrorLine } from '../reading/faults.ts';
import { copilotParser } from './stream.ts';

const WANTED: readonly Wanted[] = [
  { words: ['--output-format', 'json'] },
  // Without a terminal it refuses every tool that it would ask about. A user who allows some tools does not want all.
  { words: ['--allow-all'], or: ['--yolo', '--allow-all-tools', '--allow-tool', '--assisted-approval'] },
  { words: ['--no-ask-user'] },
];

export const copilot: AgentProfile = {
  name: 'copilot',
  title: 'Copilot CLI',
  install: 'npm install -g @github/copilot',
  asksNothing: true,
  modelOption: ['--model'],
  login: { variables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'], files: [], how: 'start copilot once' },
  readsStdin: { flags: ['-p', '--prompt'] },
  sandbox: {
    hosts: ['api.github.com', 'github.com', '*.githubcopilot.com'],
    state: { variable: 'COPILOT_HOME', usual: ['.copilot'], trustedConfig: ['mcp-config.json'] },
  },
  baseUrls: ['COPILOT_PROVIDER_BASE_URL'],
  projectConfig: ['.github/hooks'],
  accountVariables: ['COPILOT_', 'GITHUB_COPILOT_'],
  // With a custom provider instead of GitHub.
  rehearsal: {
    variables: ({ url, folder }) => ({
      COPILOT_HOME: folder,
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: REHEARSAL.key,
      COPILOT_MODEL: REHEARSAL.model,
    }),
    files: ({ cwd }) => ({ 'config.json': JSON.stringify({ trustedFolders: [cwd] }) }),
    // The folder of its unpacked program: 235 MB that would have to be unpacked again.
    kept: ['COPILOT_CACHE_HOME', 'COPILOT_PKG_CACHE_HOME'],
  },
  tellsCost: 'nothing',
  tested: 'with 1.0.102',
  terminal: {
    screen: {
      input: { at: 'between-rules', mark: /^❯(?:\s|$)/ },
      // While it loads its skills, the footer shows this instead of what it works on, even after a prompt.
      busy: { footer: /^\s*\S (?:Working\b.* esc esc (?:interrupt|edit prompt)\b|Loading:)/ },
    },
    dialogs: [{ kind: 'trust', sign: /Confirm folder trust/ }],
    subcommands: ['login', 'help', 'update', 'version'],
    faultIn: faultOfErrorLine,
  },
  commandLine: promptOnStdin(WANTED),
  parser: inFormat(['--output-format'], 'json', copilotParser),
};
