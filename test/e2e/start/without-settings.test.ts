/** `ralph run "…"` in a project without settings: the agent and the checks are found, shown, and kept with the loop. */
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bareProject, CLAUDE_DONE, KEEP_ARGUMENTS } from '../../support/run/bare-project.ts';
import { makeScene } from '../../support/scene.ts';

const PACKAGE = JSON.stringify({ scripts: { test: 'test -f fixed', lint: 'true' } });
const TAG = '<response>DONE</response>';

describe('agent and checks', () => {
  test('are found, shown with how to change them, and used: a red check rejects DONE', async () => {
    const scene = bareProject({ play: `${KEEP_ARGUMENTS}[ $n = 1 ] || touch fixed; ${CLAUDE_DONE}` });
    scene.write('work/package.json', PACKAGE);
    const { code, stderr } = await scene.ralph(['run', 'fix the failing tests', ...scene.own]).exited;
    expect(code).toBe(0);
    expect(stderr).toContain('ralph · fix the failing tests\n');
    expect(stderr).toContain('  agent      claude 1.2.3, unattended in the OS sandbox  (--agent to change)\n');
    expect(stderr).toContain('  checks     npm test · npm run lint   (package.json; --check to change)\n');
    expect(stderr).not.toContain('isolation');
    expect(stderr).toContain('✗ DONE rejected: npm test is red.');
    expect(stderr).toContain('✓ Done in 2 iterations');
    expect(scene.read('work/arguments')).toContain('\n--dangerously-skip-permissions\n');
  });

  test('are what the flags say; if there is no check, the output says so', async () => {
    const scene = bareProject({ play: `${KEEP_ARGUMENTS}${CLAUDE_DONE}` });
    symlinkSync(join(scene.folder, 'bin/claude'), join(scene.folder, 'bin/mine'));
    scene.write('work/package.json', PACKAGE);
    const flags = ['--check', 'true', '--check', 'test -d .', '--model', 'opus', '--max-iterations', '2'];
    const { code, stderr } = await scene.ralph(['run', 'do it', ...flags, '--timeout', '5m', ...scene.own]).exited;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('  checks     true · test -d .') });
    expect(stderr).toContain('  limits     2 iterations, 5m for each run of the agent  (-m)\n');
    expect(scene.read('work/arguments')).toContain('--model\nopus\n');
    rmSync(join(scene.work, 'package.json'));
    const other = await scene.ralph(['run', 'do it', '--agent', 'mine', '-m', '1', ...scene.own]).exited;
    expect(other.stderr).toContain('  agent      mine, in the OS sandbox   (--agent to change)\n');
    expect(other.stderr).toContain('  checks     none: nothing will check DONE  (--check to add one)\n');
    expect(scene.read('work/arguments')).not.toContain('--');
  });

  test('of the settings stay as they are; --check and --agent win over them', async () => {
    const guardrails = [{ command: 'false', failAction: 'APPEND' }];
    const scene = makeScene({ play: `echo "$*" >arguments; echo "${TAG}"`, settings: { guardrails } });
    scene.write('work/package.json', PACKAGE);
    const set = await scene.ralph(['run', 'do it', '-m', '1']).exited;
    expect(set.stderr).toContain('  agent      agent\n  checks     false\n');
    expect(set.code).toBe(1);
    symlinkSync(join(scene.folder, 'bin/agent'), join(scene.folder, 'bin/claude'));
    scene.write('play', `${KEEP_ARGUMENTS}${CLAUDE_DONE}`);
    const given = await scene.ralph(['run', 'do it', '--check', 'true', '--agent', 'claude']).exited;
    expect(given.stderr).toContain('  checks     true                      (--check)\n');
    expect(given.code).toBe(0);
    expect(scene.read('work/arguments')).not.toContain('--dangerously');
  });

  test('stay the same on resume, whatever was written since', async () => {
    const scene = bareProject({ play: 'claude_result x' });
    scene.write('work/Makefile', 'test:\n\ttrue\n');
    expect((await scene.ralph(['run', 'do it', '-m', '1', ...scene.own]).exited).code).toBe(1);
    scene.write('work/package.json', PACKAGE);
    const settings = { agent: { command: 'claude', flags: ['--evil'] }, guardrails: [] };
    scene.write('work/.ralph/settings.json', JSON.stringify(settings));
    scene.write('play', `${KEEP_ARGUMENTS}${CLAUDE_DONE}`);
    const { code, stderr } = await scene.ralph(['resume', '-m', '2']).exited;
    expect(stderr).toContain('  agent      claude 1.2.3, unattended in the OS sandbox  (--agent to change)\n');
    expect(stderr).toContain('✓ make test ');
    expect(code).toBe(0);
    expect(scene.read('work/arguments')).toContain('--dangerously-skip-permissions\n');
    expect(scene.read('work/arguments')).not.toContain('--evil');
  });
});

describe('the prompt', () => {
  const WHEN = `When everything is done, answer ${TAG}.`;

  test.each([
    ['an argument', 'ralph run "do the work" --no-sandbox'],
    ['an argument without the command', 'ralph "do the work" --no-sandbox'],
    ['stdin', 'echo do the work | ralph run --no-sandbox'],
    ['PROMPT.md', 'echo do the work >PROMPT.md; ralph run --no-sandbox </dev/null'],
  ])('from %s ends with instructions for saying DONE', async (_what, line) => {
    const scene = bareProject({ env: { IS_SANDBOX: '1' } });
    const { code, stderr } = await scene.shell(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(', unattended, no sandbox') });
    expect(scene.promptOf('1/work/1')).toMatch(new RegExp(`^do the work\n\n${WHEN} .*`));
    expect(stderr).not.toContain('warning:');
  });

  test('names the checks and the loop’s own word, even after a failure, unless the user names the word', async () => {
    const scene = bareProject({ play: 'claude_says "<response>OK</response>"; claude_result x' });
    scene.write('work/Makefile', 'test:\n\t@[ -f fixed ] || { touch fixed; exit 1; }\n');
    await scene.ralph(['run', 'do it', '-c', 'OK', '--no-baseline', ...scene.own]).exited;
    const when = 'When everything is done and the checks pass (make test), answer <response>OK</response>.';
    expect(scene.promptOf('1/work/1')).toContain(`do it\n\n${when}`);
    expect(scene.promptOf('2/work/1')).toMatch(
      /^do it\n\nGuardrail "make test" failed [\s\S]*\n\nWhen everything is done/,
    );
    await scene.ralph(['run', 'Say <response>OK</response>.', '-c', 'OK', ...scene.own]).exited;
    expect(scene.promptOf('1/work/1')).toBe('Say <response>OK</response>.');
  });

  test.each([
    ['-p', 'ralph run -p "do it" -m 1'],
    ['-f', 'printf "do it" >task; ralph run -f task -m 1'],
  ])('by %s is passed on unchanged, with a warning if it never asks for the answer', async (_flag, line) => {
    const scene = makeScene({ play: `echo "${TAG}"` });
    const { stderr } = await scene.shell(line);
    expect(scene.promptOf('1/work/1')).toBe('do it');
    const warning = stderr.indexOf(`! the prompt does not ask for ${TAG}`);
    expect(warning).toBeGreaterThan(0);
    expect(warning).toBeLessThan(stderr.indexOf('── 1/1 '));
    const { stderr: asked } = await scene.shell(`ralph run -p "do it, then say ${TAG}" -m 1`);
    expect(asked).not.toContain('does not ask for');
  });

  test('PROMPT.md is read again for every iteration', async () => {
    const play = `if [ $n = 1 ]; then echo two >PROMPT.md; claude_result x; else ${CLAUDE_DONE}; fi`;
    const scene = bareProject({ play, env: { IS_SANDBOX: '1' } });
    const { code } = await scene.shell('echo one >PROMPT.md; ralph run --no-sandbox </dev/null');
    expect(code).toBe(0);
    expect(scene.promptOf('1/work/1')).toMatch(/^one\n/);
    expect(scene.promptOf('2/work/1')).toMatch(/^two\n/);
  });
});
