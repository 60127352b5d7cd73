/** The same interface to every loop kind that runs under a supervisor, so that one test can cover them all. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quoteWords } from '../../src/core/text/quote-word.ts';
import { storiesScene } from '../stories/scene.ts';
import { type Exited, type Program, startProgram } from '../support/programs/program.ts';
import { makeScene, ROOT } from '../support/scene.ts';
import { story } from '../support/stories/stories.ts';
import { MEANT, taskLoopScene } from '../support/tasks/task-loop.ts';
import { ralphScene } from '../swarm/ralph-scene.ts';

export interface Bench {
  readonly folder: string;
  readonly work: string;
  /** Where the loop keeps its journal: `$XDG_STATE_HOME`. */
  readonly state: string;
  readonly env: NodeJS.ProcessEnv;
  /** What it prints when it receives a signal. */
  readonly signalled: string;
  /** Starts a loop with at most this many iterations. */
  begin(iterations?: number, more?: More): Program;
  /** The same as a shell line for the environment `typed`, where `ralph` and `swarm` are those of this repository. */
  beginLine(iterations: number): string;
  readonly typed: NodeJS.ProcessEnv;
  /** Continues the loop. */
  resume(more?: More): Program;
  /** Resolves once the agent of AT_WORK is running; the next one will be done at once. */
  atWork(): Promise<void>;
  /** Runs a command as a person would copy it from the screen. */
  type(line: string): Promise<Exited>;
  /** Moves the agent's executable away. */
  removeAgent(): void;
}

export interface More {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly flags?: readonly string[];
}

export type KindName = 'run' | 'stories' | 'tasks' | 'swarm';

/** The agent as a shell script. `done` is the command with which an agent of this kind says that it is done. */
export type Play = (done: string) => string;

/** An agent that runs until its loop ends it; the next one is done at once. */
export const AT_WORK: Play = (done) =>
  `if [ -e "$HOME/second" ]; then ${done}; else touch "$HOME/second"; while :; do sleep 0.05; done; fi`;

/** `name` is the agent's executable, from which ralph derives its output format; swarm reads the pane instead. */
export const KINDS: Readonly<Record<KindName, (play: Play, name?: string) => Bench>> = {
  run(play, name = 'agent') {
    const settings = { failureBackoffMs: 10 };
    const scene = makeScene({ play: play('echo "<response>DONE</response>"'), settings, agent: name });
    const { folder, work, state, env } = scene;
    scene.write('work/PROMPT.md', 'Do the work.\n');
    scene.git('add', 'PROMPT.md');
    scene.git('commit', '--quiet', '--message=prompt');
    return bench({ folder, work, state, env, agent: join(folder, 'bin', name) }, 'ralph', {
      begin: (iterations) => ['run', '-f', 'PROMPT.md', '-m', String(iterations)],
      resume: ['resume'],
    });
  },
  stories(play, name = 'agent') {
    const scene = storiesScene([story('US-001')], { play: play('honest approve'), agent: name });
    const { folder, work, state, env } = scene;
    const agent = join(folder, 'bin', name);
    const usual = ['--no-sandbox', '--agent', agent, '--failure-backoff', '10ms'];
    return bench({ folder, work, state, env, agent }, 'ralph', {
      begin: (iterations) => ['stories', 'run', '-n', String(iterations), ...usual],
      resume: ['stories', 'resume'],
    });
  },
  tasks(play, name = 'agent') {
    const scene = taskLoopScene({ play: play('echo ok >"$TASK_FOLDER/DONE"'), agent: name });
    const { folder, work, state, env, agent } = scene;
    const quick = ['--restart-delay', '10ms', '--child-poll-interval', '50ms', '--no-sandbox'];
    return bench({ folder, work, state, env, agent }, 'ralph', {
      begin: (iterations) => [
        'task',
        'run',
        ...MEANT,
        '--agent',
        agent,
        ...quick,
        '--max-restarts',
        String(iterations),
      ],
      resume: ['task', 'resume', ...MEANT],
    });
  },
  swarm(play) {
    const scene = ralphScene(play('echo ALL-DONE'));
    const { folder, work, env } = scene;
    const agent = join(folder, 'agent.sh');
    const usual = ['--name', 'agent', '--ralph', '--prompt-file', 'PROMPT.md', '--done-pattern', 'ALL-DONE'];
    const patience = ['--inactivity-timeout', '100000'];
    return bench({ folder, work, state: join(folder, '.local/state'), env, agent }, 'swarm', {
      begin: (iterations) => ['spawn', ...usual, ...patience, '--max-iterations', String(iterations), '--', agent],
      resume: ['ralph', 'run', 'agent'],
    });
  },
};

export const KIND_NAMES = Object.keys(KINDS) as readonly KindName[];

interface Place extends Pick<Bench, 'folder' | 'work' | 'state' | 'env'> {
  readonly agent: string;
}

interface Commands {
  begin(iterations: number): readonly string[];
  readonly resume: readonly string[];
}

function bench(place: Place, binary: 'ralph' | 'swarm', commands: Commands): Bench {
  const { folder, work, state, env, agent } = place;
  const run = (args: readonly string[], { env: more = {}, flags = [] }: More = {}): Program =>
    startProgram([process.execPath, join(ROOT, `bin/${binary}.cjs`), ...args, ...flags], {
      cwd: work,
      env: { ...env, ...more },
      detached: true,
    });
  const bin = join(folder, 'typed');
  mkdirSync(bin, { recursive: true });
  for (const name of ['ralph', 'swarm']) linkOnce(join(ROOT, `bin/${name}.cjs`), join(bin, name));
  const typed = { ...env, PATH: `${bin}:${env.PATH ?? ''}` };
  return {
    folder,
    work,
    state,
    env,
    typed,
    beginLine: (iterations) => quoteWords([binary, ...commands.begin(iterations)]),
    signalled: binary === 'swarm' ? 'pausing loop' : 'Received signal',
    begin: (iterations = 5, more) => run(commands.begin(iterations), more),
    resume: (more) => run(commands.resume, more),
    type: (line) => startProgram(['sh', '-c', line], { cwd: work, env: typed, detached: true }).exited,
    async atWork() {
      while (!existsSync(join(env.HOME ?? '', 'second')))
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    },
    removeAgent: () => renameSync(agent, `${agent}.away`),
  };
}

/** Moves all times in the journals back by fourteen hours. */
export function leftLongAgo({ state }: Pick<Bench, 'state'>): void {
  const loops = join(state, 'ralph/loops');
  for (const id of readdirSync(loops)) {
    const journal = join(loops, id, 'journal.jsonl');
    const earlier = readFileSync(journal, 'utf8').replaceAll(
      /"(at|resetAt)":(\d+)/g,
      (_, name, at) => `"${name}":${Number(at) - 50_400_000}`,
    );
    writeFileSync(journal, earlier);
  }
}

function linkOnce(target: string, path: string): void {
  try {
    symlinkSync(target, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

const LOOK_EVERY_MS = 10;
