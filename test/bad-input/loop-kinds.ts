/** The same interface to all loop kinds: how to start, interrupt and resume a loop, and where its files are. */
import { existsSync, lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storiesScene } from '../stories/scene.ts';
import { processesOf } from '../support/programs/processes.ts';
import { type Exited, type Program, startProgram } from '../support/programs/program.ts';
import { makeScene, ROOT, type Scene } from '../support/scene.ts';
import { hookedSession } from '../support/session/session-loop.ts';
import { story } from '../support/stories/stories.ts';
import { MEANT, taskLoopScene, until } from '../support/tasks/task-loop.ts';
import { ralphScene } from '../swarm/ralph-scene.ts';

/** What is special about the way a program is run. */
export interface How {
  readonly front?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

export interface Bench {
  /** The scene's own folder. */
  readonly folder: string;
  readonly work: string;
  /** `$XDG_STATE_HOME`. */
  readonly state: string;
  /** Other files and folders of the loop, by descriptive names. */
  readonly files: Readonly<Record<string, string>>;
  readonly folders: Readonly<Record<string, string>>;
  readonly env: NodeJS.ProcessEnv;
  /** The agent's executable; null if this kind starts none. */
  readonly agent: string | null;
  /** Starts a loop, and waits until it ends. */
  start(how?: How, options?: { readonly isFirst?: boolean }): Promise<Exited>;
  /** Lets the agent finish its work. */
  free(): void;
  /** Resumes the loop, and waits until it ends. */
  resume(how?: How): Promise<Exited>;
  /** Starts a loop and kills its supervisor while the agent works. */
  cutOff(): Promise<void>;
}

export interface BenchOptions {
  /** Shell lines at the start of the agent; `$SCENE` is the bench's folder. */
  readonly first?: string;
  /** The most iterations, where one is enough to be done. */
  readonly limit?: number;
}

export interface LoopKind {
  readonly name: string;
  make(options?: BenchOptions): Bench;
  isDone(ended: Exited): boolean;
  /** The loop was abandoned, and says so: it cannot be resumed. */
  isGivenUp?(ended: Exited): boolean;
  /** Whether it starts an agent. */
  readonly hasProgram: boolean;
  /** The exit codes of a refusal. */
  readonly refusal: readonly number[];
}

const BEGINS_AT_GATE = 'if [ ! -e "$SCENE/free" ]; then at_gate; exit 1; fi';

function onScene(scene: Scene, start: readonly string[], resume: readonly string[]): Omit<Bench, 'files' | 'folders'> {
  const { folder, work, state, env } = scene;
  const begin = (args: readonly string[], how: How = {}): Program => program('ralph', args, { work, env }, how);
  const free = (): void => writeFileSync(join(folder, 'free'), '');
  return {
    folder,
    work,
    state,
    env,
    agent: join(folder, 'bin/agent'),
    free,
    start: (how, { isFirst = false } = {}) => {
      if (!isFirst) free();
      return begin(start, how).exited;
    },
    resume: (how) => begin(resume, how).exited,
    async cutOff() {
      const loop = begin(start);
      await Promise.race([scene.logged('at gate 1/work/1'), failedAtOnce(loop)]);
      loop.signal('SIGKILL');
      await loop.exited;
      free();
      await scene.letGo();
    },
  };
}

async function failedAtOnce({ exited }: Program): Promise<void> {
  const { code, stdout, stderr } = await exited;
  throw new Error(`it ended with ${code} before its agent worked: ${stdout}${stderr}`);
}

export function program(
  binary: 'ralph' | 'swarm',
  args: readonly string[],
  { work, env }: { readonly work: string; readonly env: NodeJS.ProcessEnv },
  { front = [], env: more = {}, cwd = work }: How,
): Program {
  const [command = '', ...rest] = [...front, process.execPath, join(ROOT, `bin/${binary}.cjs`), ...args];
  return startProgram([command, ...rest], { cwd, env: { ...env, BENCH_CWD: cwd, ...more }, detached: true });
}

const run: LoopKind = runIn('direct');
const runInTmux: LoopKind = { ...runIn('tmux'), name: 'run in tmux' };

function runIn(runner: 'direct' | 'tmux'): LoopKind {
  return {
    name: 'run',
    hasProgram: true,
    refusal: [2],
    isDone: ({ code }) => code === 0,
    make: (options) => runBench(runner, options),
  };
}

function runBench(runner: 'direct' | 'tmux', { first = BEGINS_AT_GATE, limit = 3 }: BenchOptions = {}): Bench {
  const scene = makeScene({
    play: `${first}\necho "<response>DONE</response>"`,
    settings: { guardrails: [{ command: 'true', failAction: 'APPEND' }] },
  });
  scene.write('work/PROMPT.md', 'Do the work.\n');
  scene.write('work/.ralph/settings.local.json', '{}');
  const bench = onScene(scene, ['run', '-f', 'PROMPT.md', '-m', String(limit), '--runner', runner], ['resume']);
  // Resumed by id, as ralph prints it: a loop that was done when its last sync failed is over, and says so.
  let id: readonly string[] = [];
  return {
    ...bench,
    async cutOff() {
      await bench.cutOff();
      id = scene.loops().slice(0, 1);
    },
    resume: (how = {}) => program('ralph', ['resume', ...id], scene, how).exited,
    files: {
      settings: join(scene.work, '.ralph/settings.json'),
      'local settings': join(scene.work, '.ralph/settings.local.json'),
      prompt: join(scene.work, 'PROMPT.md'),
    },
    folders: { settings: join(scene.work, '.ralph'), 'work tree': scene.work },
  };
}

const stories: LoopKind = {
  name: 'stories',
  hasProgram: true,
  refusal: [2],
  isDone: ({ code }) => code === 0,
  // The first iteration implements the story, the next one reviews it.
  make({ first = BEGINS_AT_GATE, limit = 3 } = {}) {
    const scene = storiesScene([story('US-001')], { play: `${first}\nhonest approve` });
    const usual = ['--no-sandbox', '--agent', join(scene.folder, 'bin/agent'), '--failure-backoff', '10ms'];
    const own = join(scene.work, 'ralph');
    return {
      ...onScene(scene, ['stories', 'run', '-n', String(limit + 1), ...usual], ['stories', 'resume']),
      files: {
        'task list': join(own, 'tasks.json'),
        prompt: join(own, 'prompt.md'),
        PRD: join(own, 'prd.md'),
      },
      folders: { ralph: own, 'work tree': scene.work },
    };
  },
};

const tasks: LoopKind = {
  name: 'tasks',
  hasProgram: true,
  refusal: [2],
  isDone: ({ code }) => code === 0,
  make({ first = BEGINS_AT_GATE } = {}) {
    const scene = taskLoopScene({ play: `${first}\necho ok >"$TASK_FOLDER/DONE"` });
    const meant = [...MEANT, '--root', scene.root];
    const quick = ['--restart-delay', '10ms', '--child-poll-interval', '50ms', '--no-sandbox'];
    return {
      ...onScene(scene, ['task', 'run', ...meant, '--agent', scene.agent, ...quick], ['task', 'resume', ...meant]),
      get files() {
        const [run] = runsIn(scene.task);
        return {
          'TASK.md': join(scene.task, 'TASK.md'),
          bus: join(scene.task, 'TASK-MESSAGE-BUS.md'),
          DONE: join(scene.task, 'DONE'),
          ...(run === undefined ? {} : { report: join(run, 'run-info.yaml') }),
        };
      },
      get folders() {
        const [run] = runsIn(scene.task);
        const all = { task: scene.task, runs: join(scene.task, 'runs'), root: scene.root };
        return run === undefined ? all : { ...all, run };
      },
    };
  },
};

function runsIn(task: string): string[] {
  const runs = join(task, 'runs');
  return existsSync(runs) ? readdirSync(runs).map((name) => join(runs, name)) : [];
}

const swarm: LoopKind = {
  name: 'swarm',
  hasProgram: true,
  refusal: [1, 2],
  isDone: ({ code, stdout, stderr }) => code === 0 && `${stdout}${stderr}`.includes('done pattern matched'),
  make({ first = '[ -e "$HOME/gate-go" ] || { gate go; exit 1; }', limit = 3 } = {}) {
    const scene = ralphScene(`SCENE=$HOME\n${first}\necho ALL-DONE`);
    const { folder, work, home, env } = scene;
    const start = [
      'spawn',
      '--name',
      'agent',
      '--ralph',
      '--prompt-file',
      'PROMPT.md',
      '--max-iterations',
      String(limit),
    ];
    const agent = join(folder, 'agent.sh');
    const begin = (args: readonly string[], how: How = {}): Program => program('swarm', args, { work, env }, how);
    const free = (): void => {
      scene.open('go');
      writeFileSync(join(folder, 'free'), '');
    };
    const all = [...start, '--done-pattern', 'ALL-DONE', '--', agent];
    return {
      folder,
      work,
      env,
      agent,
      state: join(folder, '.local/state'),
      free,
      start: (how, { isFirst = false } = {}) => {
        if (!isFirst) free();
        return begin(all, how).exited;
      },
      resume: (how) => begin(['ralph', 'run', 'agent'], how).exited,
      async cutOff() {
        const loop = begin(all);
        await Promise.race([scene.started(1), failedAtOnce(loop)]);
        loop.signal('SIGKILL');
        await loop.exited;
        free();
        await until(() => !processesOf(folder).some(({ command }) => command.includes('agent.sh')));
      },
      files: {
        prompt: join(work, 'PROMPT.md'),
        'list of workers': join(home, 'state.json'),
        'state.json': join(home, 'ralph/agent/state.json'),
        'iterations.log': join(home, 'ralph/agent/iterations.log'),
      },
      folders: {
        home,
        loop: join(home, 'ralph/agent'),
        workers: join(home, 'workers'),
        logs: join(home, 'logs'),
        locks: join(home, 'locks'),
      },
    };
  },
};

const session: LoopKind = {
  name: 'in-session',
  hasProgram: false,
  // A hook answers in JSON, and no error may block the session.
  refusal: [0],
  isDone: ({ stdout }) => stdout.includes('promise'),
  isGivenUp: ({ stdout }) => stdout.includes('damaged') || stdout.includes('has no records'),
  make() {
    const hooked = hookedSession();
    const { work, state } = hooked;
    const typed = (command: string, args: string) => ({
      hook_event_name: 'UserPromptExpansion',
      command_name: command,
      command_args: args,
      command_source: 'plugin',
    });
    const say = async (words: string, how: How = {}): Promise<Exited> => {
      if (lstatSync(hooked.transcript, { throwIfNoEntry: false })?.isFile() === true)
        hooked.write({
          type: 'assistant',
          isSidechain: false,
          message: {
            role: 'assistant',
            content: [
              { type: 'tool_use', id: 't', name: 'Bash', input: {} },
              { type: 'text', text: words },
            ],
          },
        });
      return hooked.hear(
        { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: words },
        calling(how),
      );
    };
    const calling = ({ front = [], env = {} }: How) => ({ front, env });
    const begin = (how: How = {}) => hooked.hear(typed('ralph-loop', 'Do the work.'), calling(how));
    const done = '<promise>DONE</promise>';
    hooked.write({ type: 'user', message: { role: 'user', content: 'hello' } });
    return {
      folder: state,
      work,
      state,
      env: hooked.env,
      agent: null,
      free: () => undefined,
      async start(how) {
        const begun = await begin(how);
        if (!existsSync(join(state, 'ralph/sessions', hooked.id))) return begun;
        const ended = await say(done, how);
        return { ...ended, stdout: `${begun.stdout}${ended.stdout}`, stderr: `${begun.stderr}${ended.stderr}` };
      },
      resume: (how) => say(done, how),
      async cutOff() {
        await begin();
        await say('Still at it.');
      },
      files: { transcript: hooked.transcript, pointer: join(state, 'ralph/sessions', hooked.id) },
      folders: { sessions: join(state, 'ralph/sessions') },
    };
  },
};

export const LOOP_KINDS = { run, runInTmux, stories, tasks, swarm, session } as const;
