import { expect, test } from 'vitest';
import { goModPart, withGoModPart } from './pinned-go-mod.ts';

const BEFORE =
  'module x\n\nrequire (\n\texample.com/is v1.0.0\n\texample.com/b v2.0.0 // indirect\n)\n\nreplace example.com/b => ./b\n';

test('a module of the start keeps its source', () => {
  const now = `${BEFORE.replace('./b', './other')}\nreplace (\n\texample.com/is v1.0.0 => ./fake // why\n)\n`;
  expect(goModPart(withGoModPart(now, BEFORE))).toBe('example.com/b => ./b');
});

test('the agent chooses the source of a new module, and a new version is no change', () => {
  const now = `${BEFORE.replace('is v1.0.0', 'is v1.2.0')}\nrequire example.com/new v1.0.0\n\nreplace example.com/new => ./new\n`;
  expect(goModPart(withGoModPart(now, BEFORE))).toBe(goModPart(now));
  expect(withGoModPart(now, null)).toBe(now);
});
