/** A loop of any kind saves snapshots of its work tree, and `ralph diff` shows what its agent has changed. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { KIND_NAMES, KINDS } from './bench.ts';

test.each(KIND_NAMES)('%s', async (kind) => {
  const loop = KINDS[kind]((done) => `[ -e by-agent ] || echo "by the agent" >by-agent; ${done}`);
  execFileSync('git', ['init', '-q'], { cwd: loop.work });
  await loop.begin(4).exited;
  const { code, stdout } = await loop.type('ralph diff 1');
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('+by the agent\n') });
  const { stdout: names } = await loop.type('ralph diff --name-only');
  expect(names.split('\n')).toContain('by-agent');
});
