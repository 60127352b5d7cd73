import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { adjusted, unaskedWrites } from './runtime.ts';

const NOTHING = { writable: [], readOnly: [] };
const WRAPPED = 'bwrap --new-session --die-with-parent --unshare-net --unshare-pid --';

test.runIf(process.platform === 'linux')('a sandbox without the filter of system calls is refused', () => {
  expect(() => adjusted(`${WRAPPED} bash -c true`, NOTHING)).toThrow('apply-seccomp');
  expect(adjusted(`${WRAPPED} bash -c '/a/apply-seccomp true'`, NOTHING)).toContain('--unshare-ipc');
});

test.runIf(process.platform === 'linux')(
  'what the runtime lets be written unasked is mounted only where it is allowed',
  () => {
    const wrapped = `${WRAPPED} --bind /tmp/claude /tmp/claude --bind /work /work bash -c '/a/apply-seccomp true'`;
    expect(adjusted(wrapped, NOTHING)).not.toContain('/tmp/claude');
    expect(adjusted(wrapped, NOTHING)).toContain(' --bind /work /work ');
    expect(adjusted(wrapped, { ...NOTHING, writable: ['/tmp'] })).toContain(' --bind /tmp/claude /tmp/claude ');
  },
);

test('what the runtime lets be written unasked is in the home folder, and one for all its users', () => {
  const home = homedir();
  expect(unaskedWrites(NOTHING)).toEqual(
    expect.arrayContaining(['/tmp/claude', join(home, '.npm/_logs'), join(home, '.claude/debug')]),
  );
  expect(unaskedWrites({ ...NOTHING, writable: [join(home, '.claude')] })).not.toContain(join(home, '.claude/debug'));
});
