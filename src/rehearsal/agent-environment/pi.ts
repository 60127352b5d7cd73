/** pi. Its vendors' models lead to the loopback too, so that a project's own `--model` is rehearsed as it stands. */
import { type AgentSurroundings, DUMMY_KEY, MODEL, PROVIDER } from './agent-surroundings.ts';

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export const pi: AgentSurroundings = {
  agent: 'pi',
  variables: ({ folder }) => ({
    PI_CODING_AGENT_DIR: folder,
    PI_OFFLINE: '1',
    PI_TELEMETRY: '0',
    PI_SKIP_VERSION_CHECK: '1',
  }),
  files: ({ url }) => ({
    'models.json': JSON.stringify({
      providers: {
        [PROVIDER]: {
          baseUrl: `${url}/v1`,
          api: 'openai-completions',
          apiKey: DUMMY_KEY,
          models: [
            {
              id: MODEL,
              name: 'Scripted',
              reasoning: false,
              input: ['text'],
              cost: NO_COST,
              contextWindow: 200_000,
              maxTokens: 8192,
            },
          ],
        },
        anthropic: { baseUrl: url },
        openai: { baseUrl: `${url}/v1` },
        google: { baseUrl: `${url}/v1beta` },
      },
    }),
    'settings.json': JSON.stringify({ defaultProvider: PROVIDER, defaultModel: MODEL }),
  }),
};
