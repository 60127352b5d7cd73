import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { profileFor } from './index.ts';
import { loginOf } from './login.ts';

function look(agent: string, files: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const home = testFolder();
  for (const file of files) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    // The content is never read.
    writeFileSync(join(home, file), 'not even JSON');
  }
  const { is, ...more } = loginOf(profileFor(agent), { HOME: home, ...env }, join(home, 'work'));
  return 'by' in more ? [is, more.by.replace(`${home}/`, '')] : [is];
}

describe.runIf(process.platform === 'linux')('where everything is in files', () => {
  test.each<[agent: string, files: string[], env: NodeJS.ProcessEnv, expected: string[]]>([
    ['claude', [], {}, ['out']],
    ['claude', [], { ANTHROPIC_API_KEY: '' }, ['out']],
    ['claude', [], { ANTHROPIC_API_KEY: 'x' }, ['in', 'ANTHROPIC_API_KEY']],
    ['claude', ['.claude/.credentials.json'], {}, ['in', '.claude/.credentials.json']],
    ['claude', ['.claude/.credentials.json'], { CLAUDE_CONFIG_DIR: '/no/such' }, ['out']],
    // The file may hold a key, or name a program or server that provides one.
    ['claude', ['.claude.json'], {}, ['unknown']],
    ['claude', ['.claude/settings.json'], {}, ['unknown']],
    ['claude', ['work/.claude/settings.json'], {}, ['unknown']],
    ['claude', [], { ANTHROPIC_BASE_URL: 'http://localhost' }, ['unknown']],
    ['/opt/bin/codex', [], {}, ['out']],
    ['codex', ['.codex/auth.json'], {}, ['in', '.codex/auth.json']],
    ['codex', ['.codex/config.toml'], {}, ['unknown']],
    // The login may be in a keychain, so the result is unknown.
    ['copilot', [], {}, ['unknown']],
    ['gemini', [], { GEMINI_API_KEY: 'x' }, ['in', 'GEMINI_API_KEY']],
    ['gemini', [], {}, ['unknown']],
    ['my-agent', [], {}, ['unknown']],
  ])('%s with %j and %j: %j', (agent, files, env, expected) => {
    expect(look(agent, files, env)).toEqual(expected);
  });
});
