/** `ralph task run --sandbox=os`: what happens to the loop when the helper of its sandbox is killed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { helpersOf, LOST, onlyHelper, visit } from '../support/sandbox/helper.ts';
import { listen } from '../support/sandbox/sandbox.ts';
import { sandboxedTask } from '../support/tasks/sandboxed-task.ts';
import { DONE, until } from '../support/tasks/task-loop.ts';

test('a killed helper is reported: its program has no network but stays confined, the next one has it again', async () => {
  const server = await listen();
  const first = `${visit(server.port, 'before')}; touch up; until [ -e down ]; do sleep 0.05; done
    ${visit(server.port, 'after')}; echo x >"$SCENE/outside" || echo "write refused"`;
  const play = `{ if [ $n = 1 ]; then ${first}; else ${visit(server.port, 'again')}; ${DONE}; fi; } >>notes 2>&1`;
  const scene = sandboxedTask({ play });
  const ralph = scene.startSandboxed('--allow-host', `localhost:${server.port}`);
  await until(() => existsSync(join(scene.work, 'up')));
  process.kill(onlyHelper(scene), 'SIGKILL');
  await until(() => helpersOf(scene).length === 0);
  scene.write('work/down', '');
  const { code, stderr } = await ralph.exited;
  const said = scene
    .noted()
    .split('\n')
    .map((line) => line.trim());
  expect(said).toEqual(
    expect.arrayContaining(['before welcome closed', 'after closed', 'write refused', 'again welcome closed']),
  );
  expect(stderr.split('\n').filter((line) => line.includes('helper'))).toEqual([expect.stringContaining(LOST)]);
  expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  expect({ code, visitors: server.visitors() }).toEqual({ code: 0, visitors: 2 });
});
