import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { type Environment, linkShared, prepareEnvironment } from './environment.ts';

const URL = 'http://127.0.0.1:9';

async function prepared(env: Environment, cwd = '/work/project') {
  const folder = testFolder();
  const given = { HOME: join(folder, 'home'), ...env };
  const set = prepareEnvironment({ env: given, url: URL, folder, cwd });
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  return { folder, set, read };
}

test('every agent is pointed at the scripted model and at a folder of its own', async () => {
  const { folder, set, read } = await prepared({});
  expect(set).toMatchObject({
    ANTHROPIC_BASE_URL: URL,
    CLAUDE_CONFIG_DIR: join(folder, 'claude'),
    CODEX_HOME: join(folder, 'codex'),
    COPILOT_HOME: join(folder, 'copilot'),
    COPILOT_PROVIDER_BASE_URL: `${URL}/v1`,
    GEMINI_CLI_HOME: join(folder, 'gemini'),
    GOOGLE_GEMINI_BASE_URL: URL,
    OPENAI_BASE_URL: `${URL}/v1`,
    PI_CODING_AGENT_DIR: join(folder, 'pi'),
    QWEN_HOME: join(folder, 'qwen'),
    XDG_CONFIG_HOME: join(folder, 'opencode/.config'),
    XDG_DATA_HOME: join(folder, 'opencode/.local/share'),
  });
  expect(read('codex/config.toml')).toContain(`base_url = "${URL}/v1"`);
  expect(JSON.parse(read('pi/models.json'))).toMatchObject({ providers: { rehearsal: { baseUrl: `${URL}/v1` } } });
  expect(JSON.parse(set.OPENCODE_CONFIG_CONTENT ?? '')).toMatchObject({
    provider: { rehearsal: { options: { baseURL: `${URL}/v1` } } },
  });
});

test('the home folder and the state folder of ralph stay', async () => {
  const { set } = await prepared({ HOME: '/home/me', XDG_STATE_HOME: '/home/me/state' });
  expect(set).toMatchObject({ HOME: '/home/me', XDG_STATE_HOME: '/home/me/state' });
});

test('git finds its configuration where opencode does not find its own', async () => {
  const config = testFolder();
  for (const name of ['git', 'opencode']) {
    mkdirSync(join(config, name));
    writeFileSync(join(config, name, 'config'), name);
  }
  const { read } = await prepared({ XDG_CONFIG_HOME: config });
  expect(read('opencode/.config/git/config')).toBe('git');
  expect(() => read('opencode/.config/opencode/config')).toThrow();
});

test('nothing of a real account gets through', async () => {
  const real = { ANTHROPIC_AUTH_TOKEN: 'real', OPENAI_API_KEY: 'real', GH_TOKEN: 'real', https_proxy: 'real' };
  const { set } = await prepared(real);
  expect(Object.values(set)).not.toContain('real');
});

test('the rest of the environment stays, and the given one is not changed', async () => {
  const given = Object.freeze({ PATH: '/bin', CLAUDE_CODE_MAX_RETRIES: '1', EMPTY: '', GONE: undefined });
  const { set } = await prepared(given);
  expect(set).toMatchObject({ PATH: '/bin', CLAUDE_CODE_MAX_RETRIES: '1', EMPTY: '' });
  expect(set).not.toHaveProperty('GONE');
});

test('Claude Code trusts the folder', async () => {
  const { read } = await prepared({});
  expect(JSON.parse(read('claude/.claude.json'))).toMatchObject({
    projects: { '/work/project': { hasTrustDialogAccepted: true } },
  });
});

test('a folder with quotes in its name is trusted by Codex under that name', async () => {
  const { read } = await prepared({}, '/work/my "own" project');
  expect(read('codex/config.toml')).toContain('[projects."/work/my \\"own\\" project"]');
});

/** Why the rehearsal sets what the real run does not have. "The agent may do more" is never a reason. */
const REASONS = {
  'leads to the scripted model': [
    'ANTHROPIC_BASE_URL',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'COPILOT_MODEL',
    'COPILOT_PROVIDER_API_KEY',
    'COPILOT_PROVIDER_BASE_URL',
    'GEMINI_API_KEY',
    'GOOGLE_GEMINI_BASE_URL',
    'OPENAI_API_KEY',
    'OPENAI_BASE_URL',
    'OPENAI_MODEL',
    'OPENCODE_CONFIG_CONTENT',
    'RALPH_ALLOW_HOST',
  ],
  'keeps the real account and its settings out': [
    'CLAUDE_CONFIG_DIR',
    'CODEX_HOME',
    'COPILOT_HOME',
    'GEMINI_CLI_HOME',
    'PI_CODING_AGENT_DIR',
    'QWEN_HOME',
    'QWEN_RUNTIME_DIR',
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
  ],
  'asks for no other host': [
    'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
    'CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL',
    'COPILOT_AUTO_UPDATE',
    'COPILOT_OFFLINE',
    'DISABLE_AUTOUPDATER',
    'DISABLE_ERROR_REPORTING',
    'DISABLE_TELEMETRY',
    'GEMINI_TELEMETRY_ENABLED',
    'OPENCODE_DISABLE_AUTOUPDATE',
    'OPENCODE_DISABLE_DEFAULT_PLUGINS',
    'OPENCODE_DISABLE_LSP_DOWNLOAD',
    'OPENCODE_DISABLE_MODELS_FETCH',
    'OPENCODE_PURE',
    'PI_OFFLINE',
    'PI_SKIP_VERSION_CHECK',
    'PI_TELEMETRY',
    'QWEN_TELEMETRY_ENABLED',
  ],
  'starts one process less': ['GEMINI_CLI_NO_RELAUNCH', 'QWEN_CODE_NO_RELAUNCH'],
} as const;

test('whatever else the rehearsal sets has a reason', async () => {
  const { set } = await prepared({});
  expect(Object.keys(set).sort()).toEqual(['HOME', ...Object.values(REASONS).flat()].sort());
});

test.each([
  ['IS_SANDBOX', '1'],
  ['GEMINI_CLI_TRUST_WORKSPACE', 'true'],
  ['GEMINI_CLI_TRUSTED_FOLDERS_PATH', '/home/me/trusted.json'],
  ['CLAUDECODE', '1'],
  ['NODE_OPTIONS', '--require /x.cjs'],
  ['NODE_EXTRA_CA_CERTS', '/x.pem'],
  ['BASH_ENV', '/home/me/env'],
])('%s, which decides what a run may do or how it goes, is that of the real run', async (name, value) => {
  expect((await prepared({})).set).not.toHaveProperty(name);
  expect((await prepared({ [name]: value })).set).toHaveProperty(name, value);
});

test.each([
  ['in the home folder', 'HOME'],
  ['in a folder of its own', 'GEMINI_CLI_HOME'],
])('Gemini CLI trusts the folders that its user trusts %s, and no others', async (_, variable) => {
  const home = testFolder();
  mkdirSync(join(home, '.gemini'));
  writeFileSync(join(home, '.gemini/trustedFolders.json'), '{"/work/project":"TRUST_FOLDER"}');
  const trusting = await prepared({ [variable]: home });
  expect(trusting.read('gemini/.gemini/trustedFolders.json')).toBe('{"/work/project":"TRUST_FOLDER"}');
  const { read } = await prepared({});
  expect(() => read('gemini/.gemini/trustedFolders.json')).toThrow('ENOENT');
});

test('everything is there but the part that is left out, and a change goes to the real place', () => {
  const folder = testFolder();
  const [real, placeholder] = [join(folder, 'real'), join(folder, 'placeholder')];
  mkdirSync(join(real, 'git'), { recursive: true });
  mkdirSync(join(real, 'opencode'));
  writeFileSync(join(real, 'git/config'), '[user]');
  linkShared(real, placeholder, 'opencode');
  expect(readdirSync(placeholder)).toEqual(['git']);
  writeFileSync(join(placeholder, 'git/config'), '[core]');
  expect(readFileSync(join(real, 'git/config'), 'utf8')).toBe('[core]');
});

test('throwing it away leaves the real folder alone', () => {
  const folder = testFolder();
  const [real, placeholder] = [join(folder, 'real'), join(folder, 'placeholder')];
  mkdirSync(join(real, 'git'), { recursive: true });
  writeFileSync(join(real, 'git/config'), '[user]');
  linkShared(real, placeholder, 'opencode');
  rmSync(placeholder, { recursive: true });
  expect(readFileSync(join(real, 'git/config'), 'utf8')).toBe('[user]');
});

test('a folder that is not there has an empty placeholder', () => {
  const folder = testFolder();
  linkShared(join(folder, 'none'), join(folder, 'placeholder'), 'opencode');
  expect(readdirSync(join(folder, 'placeholder'))).toEqual([]);
  expect(existsSync(join(folder, 'none'))).toBe(false);
});
