/** `--reserve` and `ralph quota`: the usage windows that agents report, across all loops on a machine. */
import { expect, test } from 'vitest';
import { makeScene, type Scene } from '../support/scene.ts';

/** Acts as Claude Code with so much of its five-hour window used, which resets in an hour. */
const used = (percent: number): string =>
  `printf '{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","rateLimitType":"five_hour","utilization":${percent / 100},"resetsAt":%s}}\\n' $(( $(date +%s) + 3600 ));
   claude_says "<response>DONE</response>"; claude_result done`;
const sceneOf = (percent: number): Scene =>
  makeScene({ play: used(percent), agent: 'claude', env: { IS_SANDBOX: '1' } });

test('no agent starts, not even the first, if another loop has used the window up to the reserve', async () => {
  const scene = sceneOf(80);
  expect((await scene.run()).code).toBe(0);
  expect((await scene.shell('ralph quota')).stdout).toMatch(/^claude {2}five hour {2}80 %/m);
  const careful = scene.ralph(['run', '-p', 'x', '--reserve', '30%']);
  await careful.says('Keeping the rest of the usage window free (--reserve) until ');
  expect((await scene.shell('ralph ls')).stdout).toMatch(/reserve until (\w{3} )?\d\d:\d\d/);
  careful.signal('SIGINT');
  const { stderr } = await careful.exited;
  expect(stderr).toMatch(/80 % of its five hour window is used \(as of .* ago\), and 30 % is reserved\./);
  expect(scene.starts()).toHaveLength(1);
  expect((await scene.run('--reserve', '10%')).code).toBe(0);
});

test('the windows of a rehearsal are marked as such, and do not hold up a real loop', async () => {
  const scene = sceneOf(80);
  // `ralph rehearse` sets this variable.
  expect((await scene.shell('RALPH_REHEARSAL="ralph rehearse" ralph run -p x')).code).toBe(0);
  expect((await scene.shell('ralph quota')).stdout).toMatch(/^claude \(rehearsal\) {2}five hour {2}80 %/m);
  expect(JSON.parse((await scene.shell('ralph quota --json')).stdout)).toMatchObject([
    { agent: 'claude', isRehearsal: true },
  ]);
  expect((await scene.run('--reserve', '30%')).code).toBe(0);
  const rehearsed = 'RALPH_REHEARSAL="ralph rehearse" ralph run -p x --reserve 30% --no-wait';
  expect((await scene.shell(rehearsed)).code).toBe(10);
});
