import { expect, test } from 'vitest';
import { isWithheld } from './environment.ts';

test.each([
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BEDROCK_BASE_URL',
  'AMP_API_KEY',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_PROFILE',
  'AZURE_OPENAI_BASE_URL',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CODEX_ACCESS_TOKEN',
  'COPILOT_GITHUB_TOKEN',
  'GEMINI_API_KEY',
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'GOOGLE_GENAI_USE_VERTEXAI',
  'HTTPS_PROXY',
  'OPENAI_BASE_URL',
  'OPENCODE_AUTH_CONTENT',
  'OPENROUTER_API_KEY',
  'QWEN_OAUTH',
  'SOME_NEW_VENDORS_API_KEY',
  'http_proxy',
])('%s is withheld', (name) => expect(isWithheld(name)).toBe(true));

test.each([
  'CLAUDECODE',
  'CLAUDE_CODE_MAX_RETRIES',
  'COPILOT_PKG_CACHE_HOME',
  'DATABASE_URL',
  'GITHUB_ACTIONS',
  'GEMINI_CLI_TRUST_WORKSPACE',
  'HOME',
  'IS_SANDBOX',
  'NODE_EXTRA_CA_CERTS',
  'PATH',
  'XDG_STATE_HOME',
])('%s is handed on', (name) => expect(isWithheld(name)).toBe(false));
