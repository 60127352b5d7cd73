/** Claude Code: how to call `claude -p`. */
import { quoteWord } from '../../core/text/quote-word.ts';
import { inFormat, unlessGiven, type Wanted } from '../flags.ts';
import { type AgentProfile, inFolder, needsStdin, REHEARSAL } from '../profile.ts';
import { CAP_VARIABLE } from './hook.ts';
import { claudeFault, claudeParser, claudeTextParser } from './stream.ts';

const STREAM: readonly Wanted[] = [{ words: ['--output-format', 'stream-json'] }, { words: ['--verbose'] }];
const TEXT: readonly Wanted[] = [{ words: ['--output-format', 'text'] }];
const SESSION_MARK = 'CLAUDECODE';
const SKIP_PERMISSIONS = '--dangerously-skip-permissions';
/** Not the whole `plugins` folder: it also holds plugin data, and a plugin runs no hooks if it cannot write that. */
const PLUGINS = ['cache', 'marketplaces', 'repos', 'config.json', 'installed_plugins.json', 'known_marketplaces.json'];

/** Costs next to nothing while there is no message. */
const hookOf = (file: string): object => {
  const command = `f=${quoteWord(file)}; if [ -s "$f" ]; then cat "$f"; : >"$f"; fi`;
  return { type: 'command', command, timeout: 5 };
};

export const claude: AgentProfile = {
  name: 'claude',
  title: 'Claude Code',
  install: 'npm install -g @anthropic-ai/claude-code',
  notInherited: ['CLAUDE_CODE_RETRY_WATCHDOG', 'CLAUDE_CODE_OVERLOADED_RETRY_MAX_WAIT_MS'],
  session: {
    name: 'CLAUDE_CODE_SESSION_ID',
    mark: SESSION_MARK,
    variables: [
      SESSION_MARK,
      'CLAUDE_CODE_CHILD_SESSION',
      'CLAUDE_CODE_ENTRYPOINT',
      'CLAUDE_CODE_MESSAGING_',
      'CLAUDE_CODE_SESSION_',
      'CLAUDE_PID',
      'CLAUDE_PROJECT_DIR',
    ],
  },
  keys: ['ANTHROPIC_API_KEY'],
  autonomy: [SKIP_PERMISSIONS],
  permissionOptions: [
    '--permission-mode',
    '--permission-prompt-tool',
    '--allowedTools',
    '--allowed-tools',
    '--allow-dangerously-skip-permissions',
  ],
  readOnly: {
    instead: {
      words: ['--permission-mode', 'plan'],
      flags: [SKIP_PERMISSIONS, '--allow-dangerously-skip-permissions'],
      options: ['--permission-mode'],
    },
  },
  modelOption: ['--model'],
  asides: {
    flags: (file) => ({
      words: ['--settings', JSON.stringify({ hooks: { PostToolUse: [{ hooks: [hookOf(file)] }] } })],
    }),
    content: (text) =>
      JSON.stringify({ hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: text } }),
  },
  budgetOption: {
    option: '--max-budget-usd',
    unlessVariables: [
      'ANTHROPIC_BASE_URL',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
      'CLAUDE_CODE_USE_FOUNDRY',
    ],
  },
  unattended: /^(?:--dangerously-skip-permissions|(?:--permission-mode=)?bypassPermissions)$/,
  refusesRootUnless: 'IS_SANDBOX',
  login: {
    variables: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
      'CLAUDE_CODE_USE_FOUNDRY',
    ],
    files: ['$/.credentials.json'],
    // Its settings may name a program that provides the key, and `.claude.json` may hold one. A Mac has a keychain.
    unlessIn: {
      variables: [
        'ANTHROPIC_BASE_URL',
        'CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR',
        'CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR',
      ],
      files: [
        '~/.claude.json',
        '$/.claude.json',
        '$/settings.json',
        '.claude/settings.json',
        '.claude/settings.local.json',
        '/etc/claude-code/managed-settings.json',
      ],
      platforms: ['darwin', 'win32'],
    },
    how: 'start claude once and log in, or set ANTHROPIC_API_KEY',
  },
  loadsPlugin: true,
  stopHookCap: CAP_VARIABLE,
  taskFlags: [
    { words: ['--input-format', 'text'] },
    { words: ['--tools', 'default'] },
    { words: ['--permission-mode', 'bypassPermissions'], or: [SKIP_PERMISSIONS] },
  ],
  readsStdin: { flags: ['-p', '--print'] },
  sandbox: {
    hosts: ['*.anthropic.com', 'claude.ai', 'platform.claude.com:443'],
    state: {
      variable: 'CLAUDE_CONFIG_DIR',
      usual: ['.claude'],
      trustedConfig: [
        'CLAUDE.md',
        'agents',
        'commands',
        'hooks',
        'settings.json',
        'settings.local.json',
        'skills',
        ...PLUGINS.map((name) => `plugins/${name}`),
      ],
      watched: ['local', 'output-styles', 'rules'],
      watchedElsewhere: ['.claude.json'],
      filled: ['.claude.json', 'plugins'],
      // The first is replaced by rename, which would need a writable home folder; the last is for links from a browser.
      quiet: ['.claude.json', '.claude/state', '.local/share/applications'],
    },
    docker: {
      name: 'claude',
      hosts: ['*.anthropic.com', 'platform.claude.com:443', 'github.com', '*.githubusercontent.com', 'api.github.com'],
      flagInside: SKIP_PERMISSIONS,
      login: { folder: '.claude', file: '.claude.json' },
    },
  },
  baseUrls: ['ANTHROPIC_BASE_URL'],
  projectConfig: [
    ...inFolder('.claude', ['agents', 'commands', 'hooks', 'settings.json', 'settings.local.json', 'skills']),
    '.mcp.json',
  ],
  accountVariables: ['ANTHROPIC_', 'CLAUDE_CODE_USE_', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_SSE_PORT'],
  rehearsal: {
    variables: ({ url, folder }) => ({
      ANTHROPIC_BASE_URL: url,
      // A token, as with a subscription, instead of a key: only then does it report when a limit is lifted, and give up
      // soon when the key is refused.
      CLAUDE_CODE_OAUTH_TOKEN: REHEARSAL.key,
      CLAUDE_CONFIG_DIR: folder,
      // Without these it contacts its vendor's host even though the base URL is set.
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
    }),
    // `-p` needs none of these; a session in a terminal would first ask questions that end it.
    files: ({ cwd }) => ({
      '.claude.json': JSON.stringify({
        hasCompletedOnboarding: true,
        theme: 'dark',
        // If it cannot save that it has asked, it asks at every start.
        fullscreenUpsellSeenCount: 100,
        projects: { [cwd]: { hasTrustDialogAccepted: true } },
      }),
      'settings.json': JSON.stringify({ skipDangerousModePermissionPrompt: true }),
    }),
  },
  tellsCost: 'dollars',
  tested: 'with 2.1.325',
  terminal: {
    screen: {
      input: { at: 'between-rules', mark: /^[❯>!](?:\s|$)/, placeholder: /^Try "/ },
      // After a paste the footer says "paste again to expand" instead of how to interrupt, so the spinner counts too.
      busy: { line: /^[·✢✳✶✻✽∗*] \S+…(?: \(|$)/, footer: /\besc to interrupt\b/ },
    },
    readyLines: [/bypass\s+permissions/, /permissions?\s+mode/, /shift\+tab\s+to\s+cycle/, /Claude\s+Code\s+v\d+/],
    dialogs: [
      { kind: 'login', sign: /Select login method/ },
      { kind: 'theme', sign: /Choose the text style|looks best with your terminal/ },
      {
        kind: 'login',
        sign: /Paste code here/,
        message: 'Worker stuck at OAuth code entry. Use ANTHROPIC_API_KEY instead.',
      },
      {
        kind: 'trust',
        sign: /Is this a project you created or one you trust\?|Do you trust the files in this folder\?/,
      },
      { kind: 'key', sign: /Do you want to use this API key\?/ },
      { kind: 'bypass', sign: /running in Bypass Permissions mode/ },
      { kind: 'unreachable', sign: /Unable to connect to Anthropic services/ },
      { kind: 'permission', sign: /Do you want to (?:proceed|make this edit|create)\b.*\?/ },
      { kind: 'choice', sign: /Enter to confirm · Esc to (?:cancel|exit)/ },
    ],
    subcommands: ['mcp', 'config', 'doctor', 'update', 'install', 'plugin', 'setup-token', 'auth', 'agents'],
    faultIn: claudeFault,
  },
  commandLine: (call) => {
    const { command, flags, prompt, mode } = call;
    const promptOnStdin = needsStdin(call);
    const print = unlessGiven([{ words: ['-p'], or: ['--print'] }], flags);
    const wanted = unlessGiven(mode === 'text' ? TEXT : STREAM, flags);
    return { argv: [command, ...print, ...wanted, ...flags, ...(promptOnStdin ? [] : [prompt])], promptOnStdin };
  },
  parser: (choice) =>
    choice.mode === 'text'
      ? claudeTextParser()
      : inFormat(['--output-format'], 'stream-json', claudeParser, claudeTextParser)(choice),
};
