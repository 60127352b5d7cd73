/** `ralph task run --sandbox=os` in a work tree without settings: what an agent plants there widens no sandbox. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sandboxedTask } from '../support/tasks/sandboxed-task.ts';
import { DONE, TASK } from '../support/tasks/task-loop.ts';

test('settings that an agent writes do not widen the sandbox of the next task', async () => {
  const play = `mkdir -p .ralph; echo '{"sandbox":{"kind":"os","allowWrite":["~/safe"]}}' >.ralph/settings.json
    echo x >"$SCENE/safe/x"; ${DONE}`;
  const scene = sandboxedTask({ play });
  rmSync(join(scene.work, '.ralph'), { recursive: true });
  mkdirSync(join(scene.folder, 'safe'));
  const first = await scene.sandboxed();
  expect(first.stderr).toContain(`Sandbox: refused to write ${scene.work}/.ralph/settings.json`);
  const flags = ['--sandbox=os', '--agent', scene.agent, ...scene.own, '--prompt', 'Do the work.'];
  const next = ['task', 'run', '--project', 'my-project', '--task', TASK.replace('basket', 'other'), ...flags];
  const second = await scene.ralph([...next, '--root', scene.root]).exited;
  expect(second.stderr).toContain("Isolation: operating system's sandbox");
  expect(scene.starts()).toHaveLength(2);
  expect(existsSync(join(scene.work, '.ralph/settings.json'))).toBe(false);
  expect(existsSync(join(scene.folder, 'safe/x'))).toBe(false);
});
