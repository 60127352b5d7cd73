// A loop whose agent runs in the operating system's sandbox. Run it: node examples/sandboxed-loop.mjs
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RalphLoop } from 'ralph-harness';

const project = await mkdtemp(join(tmpdir(), 'my-project-'));
const [folder, work] = [join(project, 'task-20260220-153045-example'), join(project, 'work')];
for (const made of [folder, work]) await mkdir(made);
const agent = 'echo new >made.txt; echo x >"$PROJECT/other" || echo refused; echo finished >"$TASK_FOLDER/DONE"';

const loop = new RalphLoop(folder, join(folder, 'TASK-MESSAGE-BUS.md'), {
  project: 'my-project',
  cwd: work,
  sandbox: { kind: 'os', agent: 'claude', allowHosts: ['example.com'] },
  // A program that `place.run` starts runs in the sandbox. When it ends, everything that it started ends, too.
  runRoot: (_signal, _attempt, place) =>
    place.run(['sh', '-c', agent], { env: { TASK_FOLDER: folder, PROJECT: project } }),
});

const { status, refusals } = await loop.run();
console.log(status, refusals.length); // done 1
