import { expect, test } from 'vitest';
import { rehearsalConfig, rehearsalEnvironment } from './environment.ts';

const place = { url: 'http://127.0.0.1:9', configDir: '/tmp/own' };

test('the agent is pointed at the scripted model, with a configuration of its own', () => {
  const env = rehearsalEnvironment({ ...place, env: {} });
  expect(env).toMatchObject({ ANTHROPIC_BASE_URL: place.url, CLAUDE_CONFIG_DIR: '/tmp/own', IS_SANDBOX: '1' });
  expect(env.CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC).toBe('1');
});

test('nothing of a real account, another provider, a proxy or an outer session gets through', () => {
  const real = {
    ANTHROPIC_API_KEY: 'real',
    ANTHROPIC_AUTH_TOKEN: 'real',
    ANTHROPIC_BEDROCK_BASE_URL: 'real',
    CLAUDE_CODE_OAUTH_TOKEN: 'real',
    CLAUDE_CODE_USE_BEDROCK: 'real',
    CLAUDECODE: 'real',
    HTTPS_PROXY: 'real',
    http_proxy: 'real',
    NODE_EXTRA_CA_CERTS: 'real',
  };
  expect(Object.values(rehearsalEnvironment({ ...place, env: real }))).not.toContain('real');
});

test('the rest of the environment stays, and the given one is not changed', () => {
  const given = Object.freeze({ PATH: '/bin', CLAUDE_CODE_MAX_RETRIES: '1', EMPTY: '', GONE: undefined });
  const env = rehearsalEnvironment({ ...place, env: given });
  expect(env).toMatchObject({ PATH: '/bin', CLAUDE_CODE_MAX_RETRIES: '1', EMPTY: '' });
  expect(env).not.toHaveProperty('GONE');
});

test('the configuration approves the very key that the environment carries', () => {
  const files = rehearsalConfig('/tmp/own', '/work/project');
  const state: unknown = JSON.parse(files.get('/tmp/own/.claude.json') ?? '');
  const key = rehearsalEnvironment({ ...place, env: {} }).ANTHROPIC_API_KEY;
  expect(state).toMatchObject({
    customApiKeyResponses: { approved: [key?.slice(-20)] },
    projects: { '/work/project': { hasTrustDialogAccepted: true } },
  });
});
