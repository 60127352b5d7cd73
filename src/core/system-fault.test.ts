import { describe, expect, test } from 'vitest';
import { faultMessage, named, naming, systemFault } from './system-fault.ts';

/** Errors as Node throws them. */
function refusal(code: string, syscall: string, more: { path?: string; dest?: string } = {}): Error {
  return Object.assign(new Error(`${code}: something, ${syscall}`), { code, syscall, ...more });
}

test.each([
  ['ENOSPC', 'write', { path: '/d/f' }, 'cannot write /d/f: no space left on device'],
  ['EROFS', 'mkdir', { path: '/d/f' }, 'cannot write /d/f: read-only file system'],
  ['EROFS', 'open', { path: '/d/f' }, 'cannot write /d/f: read-only file system'],
  ['EACCES', 'open', { path: '/d/f' }, 'cannot open /d/f: permission denied'],
  ['EACCES', 'scandir', { path: '/d' }, 'cannot read /d: permission denied'],
  ['EISDIR', 'rename', { path: '/d/f.next', dest: '/d/f' }, 'cannot write /d/f: it is a directory, not a file'],
  ['ENOENT', 'spawn git', { path: 'git' }, 'cannot start git: not found'],
  ['ENOENT', 'uv_cwd', {}, 'cannot work in the current directory: it no longer exists'],
  ['EMFILE', 'open', { path: '/d/f' }, 'cannot open /d/f: too many open files'],
])('%s at %s: the path, the reason and what to do', (code, syscall, where, message) => {
  const fault = systemFault(refusal(code, syscall, where));
  expect(fault).toMatchObject({ message, advice: { exitCode: 2, hint: expect.stringMatching(/^[A-Z].*\.$/) } });
});

test.each([
  ['a bug of ours', new TypeError('x is not a function')],
  ['an error with a code of its own', Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' })],
  ['a closed file', refusal('EBADF', 'write', { path: '/d/f' })],
  ['a wrong argument', refusal('EINVAL', 'open', { path: '/d/f' })],
  ['a file without a name', refusal('ENOENT', 'open')],
  ['a code without a system call', Object.assign(new Error('x'), { code: 'ENOENT' })],
  ['no error at all', 'ENOSPC'],
])('%s is left as it is', (_what, error) => {
  expect(systemFault(error)).toBeNull();
});

describe('the hint', () => {
  const choosable = [{ folder: '/home/me/.local/state/ralph', choose: 'set XDG_STATE_HOME' }];

  test.each([
    ['in it', '/home/me/.local/state/ralph/loops'],
    ['itself', '/home/me/.local/state/ralph'],
    ['above it', '/home/me/.local'],
  ])('says how to choose another folder: %s', (_where, path) => {
    expect(systemFault(refusal('EROFS', 'mkdir', { path }), { choosable })?.advice.hint).toBe(
      'Mount it writable, or set XDG_STATE_HOME.',
    );
  });

  test('does not if that would not help', () => {
    const elsewhere = refusal('EROFS', 'mkdir', { path: '/home/me/.local/state/ralphs' });
    expect(systemFault(elsewhere, { choosable })?.advice.hint).toBe('Mount it writable.');
    const open = refusal('EMFILE', 'open', { path: '/home/me/.local/state/ralph' });
    expect(systemFault(open, { choosable })?.advice.hint).toBe('Raise the limit (ulimit -n).');
  });

  test('ends with the command that continues', () => {
    const full = refusal('ENOSPC', 'write', { path: '/d/f' });
    expect(systemFault(full, { resume: 'ralph resume x' })?.advice.hint).toBe(
      'Free some space on that disk. Then run: ralph resume x',
    );
  });
});

test('an error gets the path that it lacks, or keeps its own', () => {
  const fail = (error: Error) => () => {
    throw error;
  };
  expect(() => naming('/d/f', fail(refusal('ENOSPC', 'write')))).toThrow(expect.objectContaining({ path: '/d/f' }));
  expect(named(refusal('EACCES', 'open', { path: '/d' }), '/d/f')).toMatchObject({ path: '/d' });
  expect(named(new Error('no refusal'), '/d/f')).not.toHaveProperty('path');
});

test('within another sentence, it is one line', () => {
  expect(faultMessage(refusal('ENOSPC', 'write', { path: '/d/f' }))).toBe('cannot write /d/f: no space left on device');
  expect(faultMessage(new Error('a bug'))).toBe('a bug');
  expect(faultMessage('words')).toBe('words');
});
