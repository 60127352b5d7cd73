/** A swarm scene with an agent that runs shell lines, and a loop around it whose seconds are short. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RalphState } from '../../src/loops/swarm/ralph/files.ts';
import type { ContainmentLevel } from '../../src/process/containment/levels.ts';
import { IN_MEMORY } from '../support/folder.ts';
import { processesOf } from '../support/programs/processes.ts';
import type { Exited, Program } from '../support/programs/program.ts';
import { ROOT } from '../support/scene.ts';
import { makeScene, type Scene } from './scene.ts';

export interface RalphScene extends Scene {
  /** `spawn --name agent --ralph …` in the foreground; `--` and the agent are added. */
  spawn(flags: readonly string[], name?: string): Program;
  /** The same, until it exits. */
  spawned(...flags: string[]): Promise<Exited>;
  /** One line for each start of the agent, and whatever else it wrote there. */
  starts(): string[];
  started(count: number): Promise<void>;
  /** Waits until the state file says that this iteration runs; nothing more is written before its agent ends. */
  isWritten(iteration: number): Promise<void>;
  /** Lets an agent that waits at `gate` continue. */
  open(gate: string): void;
  state(name?: string): RalphState;
  prompt(text: string): void;
  /** No agent is left in any window. */
  tmuxIsGone(): boolean;
  /** The built program, for use in a shell. */
  readonly program: string;
}

/** The inactivity timeout for an agent that waits for the test, which can take long on a busy machine. */
const FOR_EVER = 100_000;

/** In `play`, `$n` counts the starts of this worker, and `gate x` waits until the test opens x. */
export function ralphScene(play: string, secondMs = 20, level?: ContainmentLevel, place = IN_MEMORY): RalphScene {
  const scene = makeScene(level, place);
  const agent = join(scene.folder, 'agent.sh');
  writeFileSync(
    agent,
    `#!/bin/sh
gate() { while [ ! -e "$HOME/gate-$1" ]; do sleep 0.02; done; }
echo "start" >>"$HOME/starts"
n=$(grep -c '^start$' "$HOME/starts")
${play}
`,
  );
  chmodSync(agent, 0o755);
  writeFileSync(join(scene.work, 'PROMPT.md'), 'Do the task.\n');
  scene.env.SWARM_SECOND_MS = String(secondMs);
  const patience = play.includes('gate ') ? ['--inactivity-timeout', String(FOR_EVER)] : [];
  const spawn = (flags: readonly string[], name = 'agent'): Program => {
    const more = [...patience, ...flags];
    return scene.start(['spawn', '--name', name, '--ralph', '--prompt-file', 'PROMPT.md', ...more, '--', agent]);
  };
  const state = (name = 'agent'): RalphState => JSON.parse(scene.read(`home/ralph/${name}/state.json`)) as RalphState;
  const starts = (): string[] => {
    const file = join(scene.folder, 'starts');
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  };
  return {
    ...scene,
    spawn,
    spawned: (...flags) => spawn(flags).exited,
    starts,
    started: (count) => scene.until(() => starts().length >= count),
    open: (gate) => writeFileSync(join(scene.folder, `gate-${gate}`), ''),
    state,
    isWritten: (iteration) => {
      const file = join(scene.home, 'ralph/agent/state.json');
      return scene.until(() => existsSync(file) && state().current_iteration === iteration);
    },
    tmuxIsGone: () => !processesOf(scene.folder).some(({ command }) => command.includes('agent.sh')),
    program: join(ROOT, 'bin/swarm.cjs'),
    prompt: (text) => writeFileSync(join(scene.work, 'PROMPT.md'), text),
  };
}

/** The lines after the seed's last line and a blank one, without their duration. */
export function closing(stdout: string, last: string): string[] {
  const [, below = ''] = stdout.split(`${last}\n\n`);
  return below
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/ · \d+s · /, ' · Ns · '));
}

/** The iteration log without its times. */
export function events(log: string): string[] {
  return log
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2} /, '').replace(/duration=\d+s$/, 'duration=Ns'));
}
