import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeFiles } from './claude.ts';

const PLUGIN = join(import.meta.dirname, '../../../../plugin');

test('the hooks are those of the plugin, but for what it does beside the loop', () => {
  const text = readFileSync(join(PLUGIN, 'hooks/hooks.json'), 'utf8').replaceAll(/\$\{CLAUDE_PLUGIN_ROOT\}/g, '/p');
  const { hooks } = JSON.parse(text) as { hooks: Record<string, { hooks: { command: string }[] }[]> };
  const script = '/p/hooks/session-loop.sh';
  const ofTheLoop = Object.entries(hooks).flatMap(([event, groups]) =>
    groups.filter(({ hooks: [hook] }) => hook?.command === script).map((group) => [event, group]),
  );
  const { Stop, ...others } = claudeFiles({ script, commands: {} }).hooks;
  expect(others).toEqual(Object.fromEntries(ofTheLoop));
  // Its own script looks after the stories, too.
  const [stop] = hooks.Stop ?? [];
  expect(stop?.hooks[0]?.command).toBe('/p/hooks/stop.sh');
  expect(Stop).toEqual({ hooks: [{ ...stop?.hooks[0], command: script }] });
});
