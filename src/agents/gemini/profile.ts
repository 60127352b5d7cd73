/** Gemini CLI: how to call it without a terminal. */
import { join } from 'node:path';
import { inFormat, promptOnStdin, type Wanted } from '../flags.ts';
import { type AgentProfile, inFolder, REHEARSAL } from '../profile.ts';
import { faultOfErrorLine } from '../reading/faults.ts';
import { geminiParser } from './stream.ts';

/** Without a terminal it refuses every tool that it would ask about. */
const WANTED: readonly Wanted[] = [
  { words: ['-o', 'stream-json'], or: ['--output-format'] },
  { words: ['--approval-mode', 'yolo'], or: ['-y', '--yolo'] },
];

export const gemini: AgentProfile = {
  name: 'gemini',
  title: 'Gemini CLI',
  install: 'npm install -g @google/gemini-cli',
  keys: ['GEMINI_API_KEY'],
  login: { variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'], files: ['$/oauth_creds.json'], how: 'start gemini once' },
  taskFlags: [{ words: ['--screen-reader', 'true'] }],
  asksNothing: true,
  modelOption: ['-m', '--model'],
  readsStdin: { flags: ['-p', '--prompt'] },
  sandbox: {
    hosts: ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'],
    state: {
      variable: 'GEMINI_CLI_HOME',
      inside: '.gemini',
      usual: ['.gemini'],
      trustedConfig: ['GEMINI.md', 'commands', 'extensions', 'settings.json', 'trustedFolders.json'],
      watched: ['.env', 'agents', 'hooks', 'policies', 'skills'],
      filled: ['settings.json', 'trustedFolders.json'],
    },
  },
  baseUrls: ['GOOGLE_GEMINI_BASE_URL'],
  projectConfig: inFolder('.gemini', [
    '.env',
    'agents',
    'commands',
    'extensions',
    'hooks',
    'policies',
    'settings.json',
    'skills',
  ]),
  accountVariables: ['GEMINI_', 'GOOGLE_', 'CODE_ASSIST_ENDPOINT'],
  rehearsal: {
    variables: ({ url, folder }) => ({
      GEMINI_API_KEY: REHEARSAL.key,
      GOOGLE_GEMINI_BASE_URL: url,
      // Used instead of the home folder.
      GEMINI_CLI_HOME: folder,
      GEMINI_CLI_NO_RELAUNCH: '1',
      GEMINI_TELEMETRY_ENABLED: 'false',
    }),
    // It exits at once in a folder that is not trusted.
    copies: ({ GEMINI_CLI_HOME, HOME = '/' }) => ({
      '.gemini/trustedFolders.json': join(GEMINI_CLI_HOME || HOME, '.gemini/trustedFolders.json'),
    }),
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
    }),
    // Its permissions: with other ones than the real run has, a rehearsal would prove nothing.
    kept: ['GEMINI_CLI_TRUST_WORKSPACE', 'GEMINI_CLI_TRUSTED_FOLDERS_PATH'],
  },
  tellsCost: 'tokens',
  tested: 'with 0.61.0',
  terminal: {
    screen: {
      input: {
        at: 'behind-mark',
        below: /^[─▀▄]{10,}$/,
        mark: /^ ?[*>!](?:\s|$)/,
        placeholder: /^(?:Type your message or @path\/to\/file|Type your shell command)$/,
      },
      busy: { title: /^✦/, line: /\(esc to cancel\b/ },
    },
    dialogs: [
      {
        kind: 'login',
        sign: /How would you like to authenticate for this project\?|Waiting for auth(?:entication)?\.\.\./,
      },
      { kind: 'login', sign: /Login with (?:GitHub|Google)/i },
      { kind: 'trust', sign: /Trust this folder\?/ },
      { kind: 'key', sign: /Enter (?:your )?(?:Gemini )?API key/i },
      { kind: 'permission', sign: /Allow execution of/ },
    ],
    subcommands: ['mcp', 'extensions', 'skills', 'hooks'],
    faultIn: faultOfErrorLine,
  },
  commandLine: promptOnStdin(WANTED),
  parser: inFormat(['-o', '--output-format'], 'stream-json', geminiParser),
};
