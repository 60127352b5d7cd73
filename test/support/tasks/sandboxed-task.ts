/** A task's loop whose agent plays its lines in the operating system's sandbox. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ON_DISK } from '../folder.ts';
import { processesOf } from '../programs/processes.ts';
import type { Exited, Program } from '../programs/program.ts';
import type { SceneOptions } from '../scene.ts';
import { type TaskLoopScene, taskLoopScene, until } from './task-loop.ts';

export interface SandboxedTask extends TaskLoopScene {
  startSandboxed(...flags: string[]): Program;
  /** The same, to its end. */
  sandboxed(...flags: string[]): Promise<Exited>;
  /** Flags that allow what the playing agent itself writes outside its work. */
  readonly own: readonly string[];
  /** What the agent has written to `notes` in the work tree; empty if there is no such file. */
  noted(): string;
  /** The content of a file in the task's folder; empty if it does not exist. */
  inTask(name: string): string;
}

export function sandboxedTask(options: SceneOptions, prompt?: string | null): SandboxedTask {
  const scene = taskLoopScene({ place: ON_DISK, ...options }, prompt);
  // The supervisors of jobs exit by themselves, a moment after the end of their run was reported.
  onTestFinished(() => until(() => processesOf(scene.folder).length === 0));
  const own = ['starts.log', 'prompts'].flatMap((name) => ['--allow-write', join(scene.folder, name)]);
  const startSandboxed = (...flags: string[]): Program => scene.start('--sandbox=os', ...own, ...flags);
  const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  return {
    ...scene,
    own,
    startSandboxed,
    sandboxed: (...flags) => startSandboxed(...flags).exited,
    noted: () => textOf(join(scene.work, 'notes')),
    inTask: (name) => textOf(join(scene.task, name)),
  };
}
