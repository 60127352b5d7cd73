/** Qwen Code: how to call it without a terminal. */
import { inFormat, promptOnStdin, type Wanted } from '../flags.ts';
import { plainParser } from '../plain/profile.ts';
import { type AgentProfile, inFolder, REHEARSAL } from '../profile.ts';
import { faultOfErrorLine } from '../reading/faults.ts';
import { qwenParser, qwenStderr } from './stream.ts';

const WANTED: readonly Wanted[] = [
  { words: ['-o', 'stream-json'], or: ['--output-format'] },
  // Without a terminal it refuses every tool that it would ask about.
  { words: ['-y'], or: ['--yolo', '--approval-mode'] },
];

export const qwen: AgentProfile = {
  name: 'qwen',
  title: 'Qwen Code',
  install: 'npm install -g @qwen-code/qwen-code',
  // At a limit, Qwen Code would retry silently for an hour; with this it reports the wait, and ralph can end it.
  environment: { QWEN_CODE_UNATTENDED_RETRY: '1' },
  asksNothing: true,
  modelOption: ['-m', '--model'],
  readsStdin: { flags: ['-p', '--prompt'] },
  sandbox: {
    hosts: ['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com', 'chat.qwen.ai', 'portal.qwen.ai'],
    state: { variable: 'QWEN_HOME', usual: ['.qwen'], trustedConfig: ['QWEN.md', 'settings.json'] },
  },
  baseUrls: ['OPENAI_BASE_URL'],
  projectConfig: inFolder('.qwen', ['.env', 'agents', 'commands', 'extensions', 'hooks', 'settings.json', 'skills']),
  accountVariables: ['QWEN_'],
  // Also for any other program that takes an OpenAI-compatible server from the environment.
  rehearsal: {
    variables: ({ url, folder }) => ({
      OPENAI_API_KEY: REHEARSAL.key,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: REHEARSAL.model,
      QWEN_HOME: folder,
      QWEN_RUNTIME_DIR: folder,
      QWEN_CODE_NO_RELAUNCH: '1',
      QWEN_TELEMETRY_ENABLED: 'false',
    }),
    files: () => ({
      'settings.json': JSON.stringify({
        security: { auth: { selectedType: 'openai' } },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        // A separate agent with tools, which would take turns of the script.
        memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
      }),
    }),
  },
  tellsCost: 'tokens',
  tested: 'with 0.15.10 and 0.24.4',
  terminal: {
    screen: {
      input: { at: 'between-rules', mark: /^[*>!](?:\s|$)/, placeholder: /^Type your message or @path\/to\/file$/ },
      busy: { line: /\besc to cancel\)/ },
    },
    subcommands: ['mcp', 'extensions', 'auth'],
    faultIn: faultOfErrorLine,
  },
  commandLine: promptOnStdin(WANTED),
  parser: inFormat(['-o', '--output-format'], 'stream-json', qwenParser, () => ({
    ...plainParser(),
    parseStderr: (line) => qwenStderr(line, Date.now()),
  })),
};
