import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { COMMIT_MESSAGE_PROMPT } from '../../loops/run/commit-message.ts';
import { builtInScript, STARTER_FILE, writeStarter } from './script-file.ts';

function project(settings?: object): string {
  const cwd = testFolder();
  if (settings === undefined) return cwd;
  mkdirSync(join(cwd, '.ralph'));
  writeFileSync(join(cwd, '.ralph/settings.json'), JSON.stringify(settings));
  return cwd;
}

const SETTINGS = {
  agent: { command: 'claude' },
  completionResponse: 'SHIPPED',
  guardrails: [
    { command: 'make check', failAction: 'APPEND' },
    { command: 'make check', failAction: 'REPLACE' },
  ],
  scm: { command: 'git', tasks: ['commit', 'push'] },
};

test('the built-in script follows the settings', () => {
  const { turns, otherwise } = builtInScript(project(SETTINGS));
  const matches = turns.flatMap(({ match }) => (typeof match === 'string' ? [match] : []));
  expect(matches).toEqual(['Provide a short imperative commit message', 'Guardrail "make check" failed']);
  expect(COMMIT_MESSAGE_PROMPT).toContain(matches[0]);
  expect(otherwise?.say).toContain('<response>SHIPPED</response>');
});

test('a folder without settings has one too', () => {
  expect(builtInScript(project()).otherwise?.say).toContain('<response>DONE</response>');
});

test('wrong settings are reported, not passed over', () => {
  expect(() => builtInScript(project({ agent: { command: 'claude' }, guardrailz: [] }))).toThrow('guardrailz');
});

test('the file is written where no folder was yet, and never over another', async () => {
  const cwd = project();
  await writeStarter(cwd, STARTER_FILE);
  const written = readFileSync(join(cwd, STARTER_FILE), 'utf8');
  expect(written).toContain('turns:');
  writeFileSync(join(cwd, STARTER_FILE), 'mine');
  await expect(writeStarter(cwd, STARTER_FILE)).rejects.toMatchObject({
    message: `${STARTER_FILE} already exists.`,
    advice: { exitCode: 2 },
  });
  expect(readFileSync(join(cwd, STARTER_FILE), 'utf8')).toBe('mine');
});

test('a name that would be read as JSON is refused', async () => {
  await expect(writeStarter(project(), 'a.json')).rejects.toThrow('a.json would be read as JSON');
});

test('a place that cannot be written is reported', async () => {
  await expect(writeStarter(project(), '/dev/null/a.yaml')).rejects.toMatchObject({ advice: { exitCode: 2 } });
});
