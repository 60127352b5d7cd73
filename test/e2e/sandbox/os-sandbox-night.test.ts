/** Unattended loops in the operating system's sandbox: the fallback agent, and checks before the first iteration. */
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sandboxScene } from '../../support/sandbox/sandbox.ts';
import { DONE, ROOT } from '../../support/scene.ts';

test('a fallback agent runs in the same sandbox, with the same restrictions', async () => {
  const limited = `printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%s}}\\n' $(( $(date +%s) + 7200 ));
    printf '{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":429,"result":"no more"}\\n'; exit 1`;
  const helps = `echo by-helper >made.txt; echo x >"$SCENE/outside" || echo refused; cat ~/.ssh/id; ${DONE}`;
  const play = `case \${0##*/} in claude) ${limited} ;; *) ${helps} ;; esac`;
  const scene = sandboxScene({ play, agent: 'claude', env: { IS_SANDBOX: '1' } });
  symlinkSync(join(ROOT, 'test/fakes/play-agent.sh'), join(scene.folder, 'bin/helper'));
  const { code, stdout, stderr } = await scene.sandboxed('--fallback', 'helper');
  expect(stderr).toMatch(/claude is limited until .*; continuing with helper/);
  expect(code).toBe(0);
  expect(scene.read('work/made.txt')).toBe('by-helper\n');
  expect(stdout).toContain('refused');
  expect(stderr).toContain(`Sandbox: refused to write ${join(scene.folder, 'outside')}`);
  expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 1/work/2']);
});

test('the checks before the first iteration run in the sandbox, too', async () => {
  const scene = sandboxScene({ play: `touch feature; ${DONE}` });
  const check = 'echo x >"$SCENE/outside"; test -f feature';
  const task = ['run', 'Add the feature.', '--sandbox=os', ...scene.own, '--check', check];
  const { code, stderr } = await scene.ralph(task).exited;
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('test -f feature is red (exit 1)');
  expect(code).toBe(0);
  expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  const refused = scene
    .journal()
    .flatMap(({ key, result }) => (result.kind === 'checked' ? [[key, result.refused?.length]] : []));
  expect(refused).toEqual([
    ['baseline/check/0', 1],
    ['1/check/0', 1],
  ]);
});
