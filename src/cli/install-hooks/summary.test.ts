import { expect, test } from 'vitest';
import { summaryOf } from './summary.ts';

const plan = {
  changes: [
    { path: '/home/me/.codex/hooks.json', before: '{}', after: '{"hooks": {}}' },
    { path: '/home/me/.codex/skills/a/SKILL.md', before: 'old', after: 'new' },
    { path: '/home/me/.codex/skills/b/SKILL.md', before: null, after: 'new' },
    { path: '/home/me/.codex/skills/c/SKILL.md', before: 'old', after: null },
    { path: '/home/me/.codex/own.md', before: null, after: 'new' },
  ],
  written: {},
  left: [],
};
const settings = { path: '/home/me/.codex/hooks.json', comments: false, groups: { Stop: { hooks: [] } } };

test('new, changed and dropped files are told apart; a folder elsewhere is named in full', () => {
  const summary = summaryOf(plan, { folder: '/home/me/.codex', settings, cwd: '/home/me/..project' }, false);
  expect(summary).toBe(
    '1 hook into /home/me/.codex/hooks.json, 1 new file in /home/me/.codex/skills/, 1 changed file in /home/me/.codex/skills/, 1 file away from /home/me/.codex/skills/, 1 new file in /home/me/.codex/.',
  );
});

test('a folder within this one is named from here', () => {
  const summary = summaryOf(plan, { folder: '/home/me/.codex', settings: null, cwd: '/home/me' }, false);
  expect(summary).not.toContain('/home');
});
