import { expect, test } from 'vitest';
import { adjusted } from './runtime.ts';

const WRAPPED = 'bwrap --new-session --die-with-parent --unshare-net --unshare-pid --';

test.runIf(process.platform === 'linux')('a sandbox without the filter of system calls is refused', () => {
  expect(() => adjusted(`${WRAPPED} bash -c true`, false)).toThrow('apply-seccomp');
  expect(adjusted(`${WRAPPED} bash -c '/a/apply-seccomp true'`, false)).toContain('--unshare-ipc');
});
