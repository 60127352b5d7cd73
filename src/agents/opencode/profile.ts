/** opencode: how to call `opencode run`. */
import { inFormat, promptOnStdin, type Wanted } from '../flags.ts';
import { type AgentProfile, inFolder, REHEARSAL } from '../profile.ts';
import { faultOfErrorLine } from '../reading/faults.ts';
import { opencodeParser } from './stream.ts';

/** opencode retries failed calls silently, for hours if necessary; only its log shows this. */
const LOG: readonly Wanted[] = [{ words: ['--print-logs'] }, { words: ['--log-level', 'ERROR'] }];
/** Configuration that opencode follows, in a project's folder and in its own. */
const CONFIGURATION = ['agent', 'command', 'plugin', 'skill', 'tool']
  .flatMap((name) => [name, `${name}s`])
  .concat('opencode.json', 'opencode.jsonc')
  .sort();

export const opencode: AgentProfile = {
  name: 'opencode',
  title: 'opencode',
  install: 'npm install -g opencode-ai',
  asksNothing: true,
  modelOption: ['-m', '--model'],
  readsStdin: { words: ['run'] },
  sandbox: {
    hosts: ['opencode.ai', 'models.dev', '*.anthropic.com', 'api.openai.com'],
    state: {
      // opencode does not start if it cannot write to the last one.
      usual: ['.local/share/opencode', '.local/state/opencode', '.cache/opencode', '.config/opencode'],
      trustedConfig: ['bin'],
      watched: ['AGENTS.md', 'config.json', 'node_modules', 'package.json', ...CONFIGURATION].sort(),
      filled: ['bin', 'node_modules', 'package.json'],
      quiet: ['/sys/kernel/debug/tracing'],
    },
  },
  projectConfig: [...inFolder('.opencode', CONFIGURATION), 'opencode.json', 'opencode.jsonc'],
  accountVariables: ['OPENCODE_'],
  // There is no variable for its configuration and data alone, only those that all programs share.
  rehearsal: {
    variables: ({ url }) => ({
      // Overrides the project's own configuration.
      OPENCODE_CONFIG_CONTENT: JSON.stringify(rehearsalConfiguration(url)),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      // Otherwise it would wait forever for the packages of the project's plugins.
      OPENCODE_PURE: '1',
    }),
    // opencode installs its plugin library at every start unless these files say that it is there; no plugin needs it.
    files: () => ({
      '.config/opencode/node_modules/.keep': '',
      '.config/opencode/package-lock.json': JSON.stringify({
        packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } },
      }),
    }),
    sharedFolders: [
      { variable: 'XDG_CONFIG_HOME', usual: '.config', own: 'opencode' },
      { variable: 'XDG_DATA_HOME', usual: '.local/share', own: 'opencode' },
    ],
  },
  tellsCost: 'dollars',
  tested: 'with 1.18.33',
  terminal: {
    screen: {
      input: { at: 'beside-bar', placeholder: /^Ask anything…/ },
      busy: { footer: /\besc (?:again to )?interrupt\b/ },
    },
    readyLines: [/opencode\s+v\d+/, /tab\s+switch\s+agent/, /ctrl\+p\s+commands/],
    subcommands: 'serve web auth agent models stats export import github mcp upgrade acp'.split(' '),
    faultIn: faultOfErrorLine,
  },
  commandLine: promptOnStdin([{ words: ['--format', 'json'] }, ...LOG], 'run'),
  parser: inFormat(['--format'], 'json', opencodeParser),
};

/** The vendors' models also lead to the local server, so that a project's own `--model` can be rehearsed as it is. */
function rehearsalConfiguration(url: string): object {
  const { key, provider, model } = REHEARSAL;
  const scripted = { name: 'Scripted', tool_call: true, limit: { context: 200_000, output: 8192 } };
  const at = (path: string): object => ({ options: { baseURL: `${url}${path}`, apiKey: key } });
  const providers = {
    [provider]: { npm: '@ai-sdk/openai-compatible', name: 'Rehearsal', ...at('/v1'), models: { [model]: scripted } },
    anthropic: at('/v1'),
    openai: at('/v1'),
    google: at('/v1beta'),
  };
  return {
    autoupdate: false,
    share: 'disabled',
    model: `${provider}/${model}`,
    small_model: `${provider}/${model}`,
    enabled_providers: Object.keys(providers),
    provider: providers,
  };
}
