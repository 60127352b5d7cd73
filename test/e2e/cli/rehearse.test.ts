/** A rehearsed loop starts under the same conditions as the real one, and the next command it prints is rehearsed. */
import { describe, expect, test } from 'vitest';
import { makeScene, type Scene } from '../../support/scene.ts';

test('the next command of a rehearsed loop is rehearsed, too', async () => {
  const scene = makeScene({ play: 'true' });
  scene.write('work/note.yaml', 'turns:\n  - say: "Done"\n');
  const flags = ['-s', 'note.yaml', '--no-namespace'];
  const { stderr } = await scene.ralph(['rehearse', ...flags, '--', 'ralph', 'run', '-p', 'Do it.', '-m', '1']).exited;
  const name = scene.loops()[0]?.slice(-8, -4);
  expect(stderr).toContain(`  ralph rehearse -s note.yaml --no-namespace -- ralph resume ${name} -m 2`);
});

describe('the preflight of the real run', () => {
  const rehearsed = async (scene: Scene) => {
    scene.write('work/note.yaml', 'turns:\n  - say: "Done"\n');
    const words = ['-s', 'note.yaml', '--no-namespace', '--', 'ralph', 'run', '-p', 'Do it.', '-m', '1'];
    return scene.ralph(['rehearse', ...words]).exited;
  };

  test.runIf(process.getuid?.() === 0)('stops the rehearsal as well on an error', async () => {
    const settings = { agent: { command: 'claude', flags: ['--dangerously-skip-permissions'] } };
    const scene = makeScene({ play: 'true', agent: 'claude', settings, env: { IS_SANDBOX: '' } });
    const [real, rehearsal] = [await scene.run(), await rehearsed(scene)];
    const [problem = ''] = /^error: .* when run as root\nhint: .*$/m.exec(real.stderr) ?? [];
    expect(problem).not.toBe('');
    expect(rehearsal.stderr).toContain(problem);
    expect([real.code, rehearsal.code]).toEqual([2, 2]);
    expect(scene.loops()).toEqual([]);
  });

  test('reports a missing login, which the rehearsal itself does not need', async () => {
    const scene = makeScene({ play: 'true', agent: 'claude' });
    const remark = 'Login: no login of Claude Code was found for the real run; to log in: start claude once';
    expect((await rehearsed(scene)).stderr.includes(remark)).toBe(process.platform === 'linux');
    scene.env.ANTHROPIC_API_KEY = 'x';
    expect((await rehearsed(scene)).stderr).not.toContain('Login:');
  });
});
