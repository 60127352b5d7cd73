/** Qwen Code, and whatever else takes an OpenAI-compatible server from the environment. */
import { type AgentSurroundings, DUMMY_KEY, MODEL } from './agent-surroundings.ts';

export const qwen: AgentSurroundings = {
  agent: 'qwen',
  variables: ({ url, folder }) => ({
    OPENAI_API_KEY: DUMMY_KEY,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_MODEL: MODEL,
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
      // An agent of its own, with tools, that would take the script's turns.
      memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
    }),
  }),
};
