/** Codex: how to call `codex exec`. */
import { holds, unlessGiven, type Wanted } from '../flags.ts';
import { plainParser } from '../plain/profile.ts';
import { type AgentProfile, inFolder, REHEARSAL, type RehearsalPlace } from '../profile.ts';
import { codexModel } from './model.ts';
import { codexWindows } from './session-record.ts';
import { codexFault, codexParser } from './stream.ts';

const PERMISSIONS = ['--full-auto', '-s', '--sandbox', '--dangerously-bypass-approvals-and-sandbox', '--yolo'];

const JSON_LINES: Wanted = { words: ['--json'], or: ['--experimental-json'] };
const ANSWER_FLAGS = ['-o', '--output-last-message'];

export const codex: AgentProfile = {
  name: 'codex',
  title: 'Codex',
  install: 'npm install -g @openai/codex',
  helpArguments: ['exec', '--help'],
  keys: ['OPENAI_API_KEY', 'OPENAI_ORG_ID'],
  // Its own sandbox makes `.git` read-only, but an iteration ends with a commit.
  autonomy: ['--dangerously-bypass-approvals-and-sandbox'],
  permissionOptions: [...PERMISSIONS, '-a', '--ask-for-approval'],
  readOnly: {
    instead: {
      words: ['-s', 'read-only'],
      flags: ['--dangerously-bypass-approvals-and-sandbox', '--full-auto', '--yolo'],
      options: ['-s', '--sandbox'],
    },
    isOwnSandbox: true,
  },
  modelOption: ['-m', '--model'],
  model: codexModel,
  windows: codexWindows,
  login: {
    variables: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'],
    files: ['$/auth.json'],
    // These may name another provider, or a keyring.
    unlessIn: { variables: ['OPENAI_BASE_URL'], files: ['$/config.toml', '$/.env', '/etc/codex/config.toml'] },
    how: 'run: codex login',
  },
  taskFlags: [
    {
      words: ['--dangerously-bypass-approvals-and-sandbox'],
      or: ['-s', '--sandbox', '--full-auto', '--yolo', '-a', '--ask-for-approval'],
    },
  ],
  readsStdin: { words: ['exec', 'e'] },
  sandbox: {
    hosts: ['api.openai.com', 'auth.openai.com', 'chatgpt.com'],
    state: {
      variable: 'CODEX_HOME',
      usual: ['.codex'],
      trustedConfig: ['AGENTS.md', 'config.toml', 'hooks.json', 'prompts', 'rules', 'skills'],
      watched: ['.env', 'AGENTS.override.md', 'agents', 'plugins'],
      filled: ['skills'],
    },
  },
  projectConfig: inFolder('.codex', ['agents', 'config.toml', 'hooks.json', 'plugins', 'prompts', 'rules', 'skills']),
  accountVariables: ['CODEX_', 'OPENAI_'],
  rehearsal: { variables: ({ folder }) => ({ CODEX_HOME: folder }), files: rehearsalFiles },
  tellsCost: 'tokens',
  tested: 'with 0.166.0',
  terminal: {
    screen: {
      input: {
        at: 'behind-mark',
        mark: /^›(?:\s|$)/,
        placeholder: /^Ask Codex to do anything$/,
        // A choice in a dialog has the same mark; below it is a line with the key that continues.
        unless: /^\s*(?:enter (?:continue|confirm)|press enter to)\b/i,
      },
      // The status line with the elapsed time is hidden while text arrives; the spinner in the title is not.
      busy: { title: /^\s*[\u2801-\u28ff]\s/, line: /^[•◦] .*\besc to interrupt\)/ },
    },
    dialogs: [
      { kind: 'login', sign: /Choose how you want to use Codex|Finish signing in via your browser/ },
      { kind: 'trust', sign: /Do you trust the contents of this directory\?/ },
      { kind: 'hooks', sign: /Hooks need review/ },
      { kind: 'permission', sign: /Would you like to run the following command\?/ },
      { kind: 'choice', sign: /Press enter to (?:continue|confirm)|enter continue · esc quit/i },
    ],
    subcommands: ['review', 'login', 'logout', 'mcp', 'mcp-server', 'app-server', 'apply', 'completion', 'sandbox'],
    faultIn: codexFault,
  },
  commandLine: ({ command, flags, mode, help, answerFile, isEnclosed = false }) => {
    const wanted: Wanted[] =
      mode === 'stream' ? [JSON_LINES] : [{ words: ['-o', answerFile], or: ANSWER_FLAGS.slice(1) }];
    const own = unlessGiven([...wanted, ...autonomy(help, isEnclosed)], flags);
    // "-": the prompt comes from stdin, so nothing in it is read as a flag.
    return { argv: [command, 'e', ...own, ...flags, '-'], promptOnStdin: true };
  },
  parser: ({ mode, flags }) => {
    if (mode === 'stream') return codexParser();
    return ANSWER_FLAGS.some((flag) => holds(flags, flag)) ? plainParser() : { ...plainParser(), answersInFile: true };
  },
};

/** Older releases use `--full-auto`; newer ones refuse it, and also ask whether the folder is trusted. */
function autonomy(help: string | null, isEnclosed: boolean): Wanted[] {
  const isOld = help?.includes('--full-auto') === true;
  const own: Wanted['words'] = isOld ? ['--full-auto'] : ['-s', 'workspace-write'];
  const words: Wanted['words'] = isEnclosed ? ['--dangerously-bypass-approvals-and-sandbox'] : own;
  const trust: Wanted[] = isOld ? [] : [{ words: ['--skip-git-repo-check'] }];
  return [{ words, or: PERMISSIONS }, ...trust];
}

function rehearsalFiles({ url, cwd }: RehearsalPlace): Record<string, string> {
  const { provider } = REHEARSAL;
  // A basic string in TOML has the same escapes as JSON.
  const project = JSON.stringify(cwd);
  return {
    'config.toml': `# The newest model that calls tools directly; later ones write programs that call them.
model = "gpt-5.5"
model_provider = "${provider}"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
# Plugins contact other hosts, and Codex waits for them before it exits.
plugins = false
# The daemon copies itself into this folder and leaves servers behind.
daemon_auto_start = false

# Otherwise Codex asks in a terminal whether to switch to a newer model.
[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"

[model_providers.${provider}]
name = "${provider}"
base_url = "${url}/v1"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1

[projects.${project}]
trust_level = "trusted"
`,
  };
}
