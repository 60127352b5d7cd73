/** Codex. */
import { type AgentSurroundings, PROVIDER } from './agent-surroundings.ts';

export const codex: AgentSurroundings = {
  agent: 'codex',
  variables: ({ folder }) => ({ CODEX_HOME: folder }),
  files: ({ url, cwd }) => ({
    'config.toml': `# The newest that calls its tools directly; later ones write programs that call them.
model = "gpt-5.5"
model_provider = "${PROVIDER}"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
# Asks for outside hosts, and waits for them at its end.
plugins = false
# Copies itself into its folder and leaves servers behind.
daemon_auto_start = false

# At a terminal it would ask whether to take a newer one.
[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"

[model_providers.${PROVIDER}]
name = "${PROVIDER}"
base_url = "${url}/v1"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1

[projects.${quoted(cwd)}]
trust_level = "trusted"
`,
  }),
};

/** A basic string of TOML has the escapes of JSON. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
