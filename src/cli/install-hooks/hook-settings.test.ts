import * as fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { REMARKS, writtenJson } from '../../../test/support/written-json.ts';
import { type HookGroups, withHooks, withoutHooks } from './hook-settings.ts';

const FILE = { path: 'settings.json', comments: true };
const GROUPS = groupsAt('/opt/ralph');

function groupsAt(folder: string): HookGroups {
  const hook = { type: 'command', command: '/usr/bin/node', args: [`${folder}/dist/hooks/session-loop.cjs`, 'claude'] };
  return { Stop: { hooks: [{ ...hook, timeout: 600 }] }, UserPromptExpansion: { hooks: [hook] } };
}

function add(text: string, groups: HookGroups = GROUPS): string {
  return withHooks(text, FILE, groups).text;
}

function remove(text: string): string {
  return withoutHooks(text, FILE).text;
}

function valueIn(text: string): unknown {
  return parse(text.replace(/^\uFEFF/, ''));
}

test.each([false, true])('existing content stays, and the hooks come after it (comments: %s)', (comments) => {
  fc.assert(
    fc.property(writtenJson({ comments }), ({ text, value }) => {
      const after = add(text);
      const before = (value.hooks ?? {}) as Record<string, unknown[]>;
      const expected = Object.fromEntries(
        Object.entries(GROUPS).map(([event, group]) => [event, [...(before[event] ?? []), group]]),
      );
      expect(valueIn(after)).toEqual({ ...value, hooks: { ...before, ...expected } });
      expect(JSON.stringify(valueIn(remove(after)))).toBe(JSON.stringify(withoutEmptied(value)));
      expect(add(after)).toBe(after);
      for (const remark of REMARKS) expect(after.split(remark)).toHaveLength(text.split(remark).length);
    }),
    { numRuns: 500 },
  );
});

/** Without recorded steps back, ralph cannot know whether an empty list was there before. */
function withoutEmptied(value: Record<string, unknown>): unknown {
  if (value.hooks === undefined || value.hooks === null) return value;
  const hooks = Object.entries(value.hooks).filter(
    ([event, list]) => GROUPS[event] === undefined || (list as unknown[]).length > 0,
  );
  const { hooks: _, ...others } = value;
  return hooks.length === 0 ? others : { ...value, hooks: Object.fromEntries(hooks) };
}

describe('a file as people write it', () => {
  test('a list over several lines gets more lines, with its own indentation', () => {
    const text = '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{ "hooks": [] } // mine\n\t\t]\n\t}\n}\n';
    const after = add(text, { Stop: { hooks: [{ command: '/x/hooks/session-loop.cjs' }] } });
    expect(after).toBe(
      [
        '{',
        '\t"hooks": {',
        '\t\t"Stop": [',
        '\t\t\t{ "hooks": [] }, // mine',
        '\t\t\t{',
        '\t\t\t\t"hooks": [',
        '\t\t\t\t\t{',
        '\t\t\t\t\t\t"command": "/x/hooks/session-loop.cjs"',
        '\t\t\t\t\t}',
        '\t\t\t\t]',
        '\t\t\t}',
        '\t\t]',
        '\t}',
        '}',
        '',
      ].join('\n'),
    );
    expect(remove(after)).toBe(text);
  });

  test('a file on one line stays on one line', () => {
    const text = '{"model": "opus"}';
    const after = add(text);
    expect(after).toMatch(/^\{"model": "opus", "hooks": \{.*\}\}$/);
    expect(remove(after)).toBe(text);
  });
});

test('hooks that lead to where ralph was before are corrected in place, and duplicates are removed', () => {
  const old = add('{\n  "a": 1\n}\n', {
    ...groupsAt('/old'),
    SessionEnd: { hooks: [{ command: '/old/hooks/session-loop.cjs' }] },
  });
  expect(add(old)).toBe(add('{\n  "a": 1\n}\n'));
  const stop = GROUPS.Stop;
  const double = JSON.stringify({ hooks: { Stop: [stop, stop], UserPromptExpansion: [GROUPS.UserPromptExpansion] } });
  expect(valueIn(add(double))).toEqual({ hooks: { Stop: [stop], UserPromptExpansion: [GROUPS.UserPromptExpansion] } });
});

test('a hook that the user put beside ralph’s stays when that is removed', () => {
  const mixed = '{"hooks": {"Stop": [{"hooks": [{"command": "mine"}, {"command": "/x/hooks/session-loop.cjs"}]}]}}';
  expect(remove(mixed)).toBe('{"hooks": {"Stop": [{"hooks": [{"command": "mine"}]}]}}');
});

test.each([
  ['{\n  "a": 1,\n}', 'settings.json:3:1: property name expected'],
  ['{"a" 1}', 'settings.json:1:6: colon expected'],
  ['', 'settings.json:1:1: it is empty'],
  ['[]', 'settings.json:1:1: an object is expected'],
  ['{"hooks": []}', 'settings.json:1:11: hooks is not an object'],
  ['{"hooks": {\n "Stop": {}}}', 'settings.json:2:10: hooks.Stop is not a list'],
])('refused: %j', (text, message) => {
  expect(() => add(text)).toThrow(message);
});

test('a comment is refused if the agent could not read the file', () => {
  const file = { path: 'settings.json', comments: false };
  expect(() => withHooks('{\n  // mine\n}', file, GROUPS)).toThrow('settings.json:2:3: a comment');
});

test('of two members with the same name, the one that counts is changed', () => {
  const after = add('{"hooks": {"Stop": []}, "hooks": {}}');
  expect(Object.keys((JSON.parse(after) as { hooks: object }).hooks)).toEqual(['Stop', 'UserPromptExpansion']);
});
