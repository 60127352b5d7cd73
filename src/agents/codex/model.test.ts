import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { codexModel } from './model.ts';

const CONFIG = `
# model = "commented"
model = "gpt-5.5" # the usual one
[profiles.cheap]
model = 'gpt-5-mini'
[model_providers.x]
model = "no such setting"
`;

function place(flags: readonly string[] = [], config = CONFIG) {
  const home = testFolder();
  mkdirSync(join(home, '.codex'));
  writeFileSync(join(home, '.codex/config.toml'), config);
  return { flags, env: { HOME: home }, cwd: testFolder() };
}

test.each<[flags: string[], model: string]>([
  [[], 'gpt-5.5'],
  [['-m', 'o3'], 'o3'],
  [['--model=o3'], 'o3'],
  [['-c', 'model="o4-mini"'], 'o4-mini'],
  [['--profile', 'cheap'], 'gpt-5-mini'],
])('with %j it is %s', (flags, model) => {
  expect(codexModel(place(flags))).toBe(model);
});

test("a project's own settings come before those of the home folder, which CODEX_HOME can replace", () => {
  const { env, cwd, flags } = place();
  const own = testFolder();
  writeFileSync(join(own, 'config.toml'), 'profile = "cheap"\n[profiles.cheap]\nmodel = "gpt-5-nano"\n');
  expect(codexModel({ flags, cwd, env: { ...env, CODEX_HOME: own } })).toBe('gpt-5-nano');
  mkdirSync(join(cwd, '.codex'));
  writeFileSync(join(cwd, '.codex/config.toml'), 'model = "gpt-5-codex"\n');
  expect(codexModel({ flags, cwd, env })).toBe('gpt-5-codex');
});

test('it is not known where nothing names it', () => {
  expect(codexModel({ flags: [], env: {}, cwd: testFolder() })).toBeUndefined();
  expect(codexModel(place([], '[other]\nmodel = "x"\n'))).toBeUndefined();
});
