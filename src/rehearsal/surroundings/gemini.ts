/** Gemini CLI. */
import { type AgentSurroundings, DUMMY_KEY } from './agent-surroundings.ts';

export const gemini: AgentSurroundings = {
  agent: 'gemini',
  variables: ({ url, folder }) => ({
    GEMINI_API_KEY: DUMMY_KEY,
    GOOGLE_GEMINI_BASE_URL: url,
    // In place of the home folder.
    GEMINI_CLI_HOME: folder,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_CLI_NO_RELAUNCH: '1',
    GEMINI_TELEMETRY_ENABLED: 'false',
  }),
  files: () => ({
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    }),
  }),
};
