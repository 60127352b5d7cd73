/** Claude Code. `-p` needs none of the files; a session at the terminal would first ask questions that end it. */
import { type AgentSurroundings, DUMMY_KEY } from './agent-surroundings.ts';

export const claude: AgentSurroundings = {
  agent: 'claude',
  variables: ({ url, folder }) => ({
    ANTHROPIC_BASE_URL: url,
    // As with a subscription, not with a key: only then it tells when a limit is lifted, and gives a refused key up soon.
    CLAUDE_CODE_OAUTH_TOKEN: DUMMY_KEY,
    CLAUDE_CONFIG_DIR: folder,
    // Without these it asks for its vendor's host even though the base URL is set.
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
  }),
  files: ({ cwd }) => ({
    '.claude.json': JSON.stringify({
      hasCompletedOnboarding: true,
      theme: 'dark',
      // Where it may not note down that it has asked, it asks at every start.
      fullscreenUpsellSeenCount: 100,
      projects: { [cwd]: { hasTrustDialogAccepted: true } },
    }),
    'settings.json': JSON.stringify({ skipDangerousModePermissionPrompt: true }),
  }),
};
