/** Copilot CLI, with a provider of one's own instead of GitHub's. */
import { type AgentSurroundings, DUMMY_KEY, MODEL } from './agent-surroundings.ts';

export const copilot: AgentSurroundings = {
  agent: 'copilot',
  variables: ({ url, folder }) => ({
    COPILOT_HOME: folder,
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: DUMMY_KEY,
    COPILOT_MODEL: MODEL,
  }),
  files: ({ cwd }) => ({ 'config.json': JSON.stringify({ trustedFolders: [cwd] }) }),
};
