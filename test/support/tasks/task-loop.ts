/** A task's folder in a scene for the built `ralph task`. The agent plays the scene's lines; its prompt is on stdin. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from '../../../src/bus/message.ts';
import { readMessages } from '../../../src/bus/read.ts';
import { projectBus, runFile, taskFile } from '../../../src/loops/tasks/folder/task-folder.ts';
import { type RunInfo, readRunInfo } from '../../../src/loops/tasks/runs/run-info.ts';
import type { Exited, Program } from '../programs/program.ts';
import { makeScene, type Scene, type SceneOptions } from '../scene.ts';

export const PROJECT = 'my-project';
export const TASK = 'task-20260220-153045-basket';

export interface TaskLoopScene extends Scene {
  /** The folder of all projects, at the default place in the user's home. */
  readonly root: string;
  /** The task's folder. */
  readonly task: string;
  readonly agent: string;
  /** `ralph task run` on the task, with short intervals. */
  start(...flags: string[]): Program;
  /** The same, to its end. */
  runTask(...flags: string[]): Promise<Exited>;
  resume(...flags: string[]): Promise<Exited>;
  stop(...flags: string[]): Promise<Exited>;
  /** The runs that have a report, oldest first. */
  runs(): RunInfo[];
  /** A file of a run. */
  runText(index: number, file: 'prompt' | 'output' | 'stdout' | 'stderr'): string;
  messages(): Message[];
  /** The bodies of the messages of these types. */
  said(...types: string[]): string[];
  projectSaid(): Message[];
}

const QUICK = ['--restart-delay', '10ms', '--child-poll-interval', '50ms'];
const LOOK_EVERY_MS = 10;
/** A shell line by which an agent says that its task is done. */
export const DONE = 'echo finished >"$TASK_FOLDER/DONE"';
export const MEANT = ['--project', PROJECT, '--task', TASK];

/** The task folder has a `TASK.md` unless the prompt is null. */
export function taskLoopScene(options: SceneOptions, prompt: string | null = 'Do the work.'): TaskLoopScene {
  // Without it, a known agent is refused if the tests run as root.
  const scene = makeScene({ ...options, env: { IS_SANDBOX: '1', ...options.env } });
  const root = join(scene.folder, '.run-agent/runs');
  const task = join(root, PROJECT, TASK);
  const agent = join(scene.folder, 'bin', options.agent ?? 'agent');
  mkdirSync(task, { recursive: true });
  if (prompt !== null) writeFileSync(taskFile.prompt(task), `${prompt}\n`);
  const start = (...flags: string[]): Program =>
    scene.ralph(['task', 'run', ...MEANT, '--agent', agent, ...QUICK, ...flags]);
  const runFolders = (): string[] => {
    const runs = taskFile.runs(task);
    return existsSync(runs) ? readdirSync(runs, { withFileTypes: true }).map(({ name }) => join(runs, name)) : [];
  };
  const runs = (): RunInfo[] =>
    runFolders()
      .flatMap((folder) => readRunInfo(runFile.info(folder)) ?? [])
      .sort((a, b) => a.startTime - b.startTime || (a.runId < b.runId ? -1 : 1));
  const messages = (): Message[] => messagesOf(taskFile.bus(task));
  return {
    ...scene,
    // A start without a key only asked the agent for its version.
    starts: () => scene.starts().filter((line) => line !== 'agent '),
    root,
    task,
    agent,
    start,
    runTask: (...flags) => start(...flags).exited,
    resume: (...flags) => scene.ralph(['task', 'resume', ...MEANT, ...flags]).exited,
    stop: (...flags) => scene.ralph(['task', 'stop', ...MEANT, ...flags]).exited,
    runs,
    runText: (index, file) => readFileSync(runs()[index]?.[`${file}Path`] ?? 'no such run', 'utf8'),
    messages,
    said: (...types) => messages().flatMap(({ type, body }) => (types.includes(type) ? body : [])),
    projectSaid: () => messagesOf(projectBus(join(root, PROJECT))),
  };
}

/** Resolves when `look` returns true; it polls, for changes that other processes make in files. */
export async function until(look: () => boolean): Promise<void> {
  while (!look()) await sleep(LOOK_EVERY_MS);
}

function messagesOf(bus: string): Message[] {
  return existsSync(bus) ? [...readMessages(bus).messages] : [];
}
