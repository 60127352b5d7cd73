import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claude } from './install.ts';

const PLUGIN = join(import.meta.dirname, '../../../plugin');

interface Hook {
  readonly command: string;
  readonly args: readonly string[];
}

/** The group without the argument that tells the plugin's scripts that the plugin called them. */
function bare(group: { readonly hooks: readonly Hook[] }) {
  expect(group.hooks.map(({ args }) => args.at(-1))).toEqual(['plugin']);
  return { ...group, hooks: group.hooks.map((hook) => ({ ...hook, args: hook.args.slice(0, -1) })) };
}

test('the hooks are those of the plugin, but for what it does beside the loop, and for its word that it is one', () => {
  const text = readFileSync(join(PLUGIN, 'hooks/hooks.json'), 'utf8').replaceAll(/\$\{CLAUDE_PLUGIN_ROOT\}/g, '/p');
  const { hooks } = JSON.parse(text) as { hooks: Record<string, { hooks: Hook[] }[]> };
  const script = '/p/hooks/session-loop.sh';
  const ofTheLoop = Object.entries(hooks).flatMap(([event, groups]) =>
    groups.filter(({ hooks: [hook] }) => hook?.command === script).map((group) => [event, bare(group)]),
  );
  const { Stop, ...others } = claude.hooks?.([], { plugin: '/p', dist: '/dist' }) ?? {};
  expect(others).toEqual(Object.fromEntries(ofTheLoop));
  // The plugin's own script also serves `ralph stories`.
  const [stop] = hooks.Stop ?? [];
  expect(stop?.hooks[0]?.command).toBe('/p/hooks/stop.sh');
  expect(Stop).toEqual({ hooks: [{ ...stop?.hooks[0], command: script }] });
});
