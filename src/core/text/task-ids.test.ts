import { describe, expect, test } from 'vitest';
import { errorOf } from '../../../test/support/error-of.ts';
import { checkProjectId, checkTaskId } from './task-ids.ts';

describe('a project id', () => {
  test.each(['a', '7', 'my-project', 'a--b', 'x'.repeat(200)])('%s is accepted', (id) => {
    expect(checkProjectId(id)).toBe(id);
  });

  test.each(['', '-a', 'a-', 'A', 'my_project', '.', '..', 'a b', 'a\n', 'é', 'a\0'])('%j is refused', (id) => {
    expect(errorOf(() => checkProjectId(id))).toMatchObject({
      message: `invalid project ID ${JSON.stringify(id)}: must contain only lowercase letters, digits, and hyphens (e.g. my-project)`,
      advice: { exitCode: 2 },
    });
  });

  test.each(['a/b', '/', '../x', 'a\\b'])('%j, which would lead into another folder, is refused', (id) => {
    expect(errorOf(() => checkProjectId(id)).message).toBe(
      `invalid project ID ${JSON.stringify(id)}: must not contain path separators (projects cannot be nested)`,
    );
  });
});

describe('a task id', () => {
  test.each(['task-20260220-153045-my-feature', 'task-20260220-153045-abc', `task-20260220-153045-${'a'.repeat(50)}`])(
    '%s is accepted',
    (id) => {
      expect(checkTaskId(id)).toBe(id);
    },
  );

  test.each([
    '',
    'task-001',
    'task-20260220-153045-ab',
    'task-20260220-153045-a-',
    `task-20260220-153045-${'a'.repeat(51)}`,
    'task-20260220-153045-abc/..',
    'task-20260220-153045-abc\n',
    '../task-20260220-153045-abc',
  ])('%j is refused', (id) => {
    expect(errorOf(() => checkTaskId(id)).message).toBe(
      `invalid task ID ${JSON.stringify(id)}: must match task-<YYYYMMDD>-<HHMMSS>-<slug> (e.g. task-20260220-153045-my-feature)`,
    );
  });
});
