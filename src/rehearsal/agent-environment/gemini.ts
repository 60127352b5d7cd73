/** Gemini CLI. */
import { join } from 'node:path';
import { type AgentSurroundings, DUMMY_KEY } from './agent-surroundings.ts';

export const gemini: AgentSurroundings = {
  agent: 'gemini',
  variables: ({ url, folder }) => ({
    GEMINI_API_KEY: DUMMY_KEY,
    GOOGLE_GEMINI_BASE_URL: url,
    // In place of the home folder.
    GEMINI_CLI_HOME: folder,
    GEMINI_CLI_NO_RELAUNCH: '1',
    GEMINI_TELEMETRY_ENABLED: 'false',
  }),
  // It ends at once in a folder that is not trusted.
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
};
