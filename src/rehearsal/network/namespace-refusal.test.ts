import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { refusalOf } from './namespace-refusal.ts';

const refused = { kind: 'refused', words: 'unshare failed: Operation not permitted' } as const;

/** Where the kernel shows its switches. */
function switches(values: Readonly<Record<string, string>>): string {
  const proc = testFolder();
  for (const folder of ['kernel', 'user']) mkdirSync(join(proc, folder));
  for (const [path, value] of Object.entries(values)) writeFileSync(join(proc, path), `${value}\n`);
  return proc;
}

test('what is missing is named', () => {
  expect(refusalOf({ kind: 'missing', what: 'unshare' }).why).toBe('unshare is not installed');
  expect(refusalOf({ kind: 'missing', what: 'loopback' }).hint).toContain('iproute2');
});

test.each([
  ['kernel/apparmor_restrict_unprivileged_userns', '1', 'kernel.apparmor_restrict_unprivileged_userns=0'],
  ['kernel/unprivileged_userns_clone', '0', 'kernel.unprivileged_userns_clone=1'],
  ['user/max_user_namespaces', '0', 'user.max_user_namespaces=15000'],
])('the switch %s is found', (path, value, wanted) => {
  const { why, hint } = refusalOf(refused, switches({ [path]: value }));
  expect(why).toBe('unshare failed: Operation not permitted');
  expect(hint).toBe(`to allow it: sudo sysctl ${wanted}`);
});

test('a switch that allows it is not blamed', () => {
  const { hint } = refusalOf(refused, switches({ 'user/max_user_namespaces': '96349' }));
  expect(hint).not.toContain('sysctl');
});

test('an unshare that is too old is told from one that is refused', () => {
  const words = "unrecognized option '--map-current-user'";
  expect(refusalOf({ kind: 'refused', words }, switches({})).hint).toBe('util-linux 2.36 or later is needed');
});
