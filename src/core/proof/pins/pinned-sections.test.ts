import { expect, test } from 'vitest';
import { sectionsOf, withSections } from './pinned-sections.ts';

const WHICH = { heading: /^tool:pytest$|^tool\.pytest\b/, line: () => false };

test('the sections with matching headings are found, with their content', () => {
  const text = 'x = 1\n[a]\ny = 2\n\n[tool.pytest.x] # why\nz = 3\n\n[b]\n[[tool.pytest.list]]\nw = 4\n';
  expect(sectionsOf(text, WHICH)).toBe('[tool.pytest.x] # why\nz = 3\n\n[[tool.pytest.list]]\nw = 4');
  expect(sectionsOf('[a]\nx = 1\n', WHICH)).toBeNull();
});

test('a list in brackets is no heading', () => {
  const text = '[tool:pytest]\npairs = [\n["a", "b"],\n["c", "d"]\n]\n';
  expect(sectionsOf(text, WHICH)).toBe(text.trimEnd());
});

test('sections of the start replace the current ones', () => {
  const before = '[a]\nx = 1\n[tool:pytest]\naddopts = -q\n';
  const now = '[tool:pytest]\naddopts = -k name\n[a]\nx = 2\n';
  expect(withSections(now, before, WHICH)).toBe('[a]\nx = 2\n\n[tool:pytest]\naddopts = -q\n');
});

test('if there were none, none are left', () => {
  expect(withSections('[a]\nx = 2\n[tool:pytest]\n', '[a]\n', WHICH)).toBe('[a]\nx = 2\n');
  expect(withSections('[a]\n[tool:pytest]\n', null, WHICH)).toBe('[a]\n');
});
