/** A home with a root folder of tasks, and the built `ralph` to look at them. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '../folder.ts';
import { type Exited, type Program, startProgram } from '../programs/program.ts';
import { ROOT as REPOSITORY } from '../scene.ts';

export interface TaskScene {
  readonly home: string;
  /** The folder in which `ralph` looks by default. */
  readonly root: string;
  start(args: readonly string[], how?: How): Program;
  ralph(...args: string[]): Promise<Exited>;
  task(...args: string[]): Promise<Exited>;
  bus(...args: string[]): Promise<Exited>;
}

export interface How {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Programs in front of `ralph`. */
  readonly front?: readonly string[];
}

export function taskScene(): TaskScene {
  const home = testFolder();
  const root = join(home, '.run-agent/runs');
  mkdirSync(root, { recursive: true });
  const start = (args: readonly string[], { cwd = home, env = {}, stdin, front = [] }: How = {}): Program => {
    const [command = '', ...rest] = [...front, process.execPath, join(REPOSITORY, 'bin/ralph.cjs'), ...args];
    return startProgram([command, ...rest], {
      cwd,
      env: { PATH: process.env.PATH, HOME: home, TZ: 'UTC', ...env },
      ...(stdin === undefined ? {} : { stdin }),
    });
  };
  const ralph = (...args: string[]): Promise<Exited> => start(args).exited;
  return {
    home,
    root,
    start,
    ralph,
    task: (...args) => ralph('task', ...args),
    bus: (...args) => ralph('bus', ...args),
  };
}
