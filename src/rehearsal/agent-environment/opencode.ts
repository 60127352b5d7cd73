/**
 * opencode. Its configuration and data have no variable of their own, only those that all programs share. Its vendors'
 * models lead to the loopback too, so that a project's own `--model` is rehearsed as it stands.
 */
import { type AgentSurroundings, DUMMY_KEY, MODEL, PROVIDER } from './agent-surroundings.ts';

export const opencode: AgentSurroundings = {
  agent: 'opencode',
  variables: ({ url }) => ({
    // Laid over the project's own configuration.
    OPENCODE_CONFIG_CONTENT: JSON.stringify(configuration(url)),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    // It would wait without end for the packages of the project's plugins.
    OPENCODE_PURE: '1',
  }),
  // It installs its plugins' library at every start unless this says that it is there; no plugin will miss it.
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
};

function configuration(url: string): object {
  const scripted = { name: 'Scripted', tool_call: true, limit: { context: 200_000, output: 8192 } };
  const at = (path: string): object => ({ options: { baseURL: `${url}${path}`, apiKey: DUMMY_KEY } });
  const provider = {
    [PROVIDER]: { npm: '@ai-sdk/openai-compatible', name: 'Rehearsal', ...at('/v1'), models: { [MODEL]: scripted } },
    anthropic: at('/v1'),
    openai: at('/v1'),
    google: at('/v1beta'),
  };
  return {
    autoupdate: false,
    share: 'disabled',
    model: `${PROVIDER}/${MODEL}`,
    small_model: `${PROVIDER}/${MODEL}`,
    enabled_providers: Object.keys(provider),
    provider,
  };
}
