/** The supervisor's side of its sandbox's helper: started with the first program, and again if it was killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { isFields, parsedJson } from '../../../core/text/json.ts';
import type { Duration } from '../../../core/time.ts';
import { nullOn } from '../../../process/files.ts';
import { findProgram } from '../../../process/which.ts';
import { lineSplitter } from '../../../stream/lines.ts';
import type { Answer, Answered, ProgramAsked, Question } from './messages.ts';

export interface HelperOptions {
  readonly argv: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  /** Not a work tree. */
  readonly cwd: string;
  /** Called with what to tell the user if the helper ended although it was needed, or does not start. */
  readonly lost: (sentence: string) => void;
}

type Asked = Question extends infer One ? (One extends Question ? Omit<One, 'id'> : never) : never;

/** The time limit of the first answer; without one, programs are started without the helper. */
const START_WITHIN: Duration = 20_000;
/** Any later answer takes milliseconds: a helper that takes this long hangs, and is ended like one that was killed. */
const ANSWER_WITHIN: Duration = 10_000;
/** After its input is closed, while it takes down its proxies. */
const END_WITHIN: Duration = 2000;

type State =
  | { readonly is: 'none' }
  | { readonly is: 'started'; readonly helper: ReturnType<typeof startHelper> }
  /** It never answered: it is not started again. */
  | { readonly is: 'useless' }
  | { readonly is: 'closed' };

type ProgramAnswer = Exclude<Answer, { kind: 'seen' }>;

export function sandboxHelper(options: HelperOptions) {
  let state: State = { is: 'none' };
  const start = (): State => {
    const helper = startHelper(options, (how) => {
      if (state.is !== 'started' || state.helper !== helper) return;
      state = helper.hasAnswered() ? { is: 'none' } : { is: 'useless' };
      options.lost(helper.hasAnswered() ? lostSentence(how) : uselessSentence(how));
    });
    return { is: 'started', helper };
  };
  const ask = async (program: ProgramAsked): Promise<ProgramAnswer | null> => {
    if (state.is === 'none') state = start();
    const answer = state.is === 'started' ? await state.helper.ask({ ask: 'program', program }) : null;
    return answer === null || answer.kind === 'seen' ? null : answer;
  };
  return {
    /** The words before those of the program, and the name to pass to `ended`; null if there is no helper. */
    async program(asked: ProgramAsked): Promise<ProgramAnswer | null> {
      // Once more, in case it was killed just now.
      return (await ask(asked)) ?? ask(asked);
    },
    /** False if the helper that the program began with is gone. */
    async ended(name: string): Promise<boolean> {
      const answer = state.is === 'started' ? await state.helper.ask({ ask: 'ended', name }) : null;
      return answer?.kind === 'seen';
    },
    async close(): Promise<void> {
      const last = state;
      state = { is: 'closed' };
      if (last.is === 'started') await last.helper.close();
    },
  };
}

function lostSentence(how: string): string {
  return `Sandbox: its helper was ended (${how}); running programs have no network any more, the next one gets a new helper`;
}

function uselessSentence(how: string): string {
  return `Sandbox: its helper does not start (${how}); without it, each program takes 0.3 to 0.4 seconds longer`;
}

function startHelper({ argv, env, cwd }: HelperOptions, onExit: (how: string) => void) {
  const waiting = new Map<number, (answer: Answer | null) => void>();
  let lastId = 0;
  let hasAnswered = false;
  /** Why it was killed, if we did that; from then on, nothing that it says counts. */
  let problem: string | null = null;
  // In a session of its own: a Ctrl-C is meant for the loop, which still needs the helper to end its programs.
  const [program, ...args] = tethered(argv, env);
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
  const { stdin, stdout } = child;
  const gone = new Promise<void>((resolve) => {
    const over = (how: string): void => {
      killGroup(child);
      for (const answer of waiting.values()) answer(null);
      waiting.clear();
      resolve();
      onExit(problem ?? how);
    };
    child.once('error', ({ message }) => over(message));
    child.once('exit', (code, signal) => over(signal ?? `exit ${code}`));
  });
  const giveUp = (why: string): void => {
    problem ??= why;
    killGroup(child);
  };
  // Written after its end: lost with it.
  stdin.on('error', () => undefined);
  const lines = lineSplitter({
    onLine(line) {
      const answered = answerIn(line.toString('utf8'));
      if (answered === null) giveUp('it sent a line that is not an answer');
      if (answered === null || problem !== null) return;
      const { id, ...answer } = answered;
      hasAnswered = true;
      waiting.get(id)?.(answer);
      waiting.delete(id);
    },
  });
  stdout.on('data', (chunk: Buffer) => lines.push(chunk));
  const sockets = [stdin, stdout].filter(
    (end): end is (typeof stdin | typeof stdout) & Socket => end instanceof Socket,
  );
  const handles = [child, ...sockets];
  const unref = (): void => {
    for (const handle of handles) handle.unref();
  };
  unref();
  return {
    hasAnswered: () => hasAnswered,
    /** Null if the helper ends without an answer. */
    async ask(question: Asked): Promise<Answer | null> {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return null;
      const id = ++lastId;
      // Keeps a supervisor alive that waits for nothing else.
      for (const handle of handles) handle.ref();
      const within = hasAnswered ? ANSWER_WITHIN : START_WITHIN;
      const slow = setTimeout(() => giveUp(`it gave no answer for ${within / 1000} seconds`), within);
      try {
        return await new Promise((resolve) => {
          waiting.set(id, resolve);
          stdin.write(`${JSON.stringify({ id, ...question })}\n`);
        });
      } finally {
        clearTimeout(slow);
        if (waiting.size === 0) unref();
      }
    },
    async close(): Promise<void> {
      for (const handle of handles) handle.ref();
      stdin.end();
      const late = setTimeout(() => killGroup(child), END_WITHIN);
      await gone;
      clearTimeout(late);
    },
  };
}

/** Our own program, so the cast is safe. What sandboxed programs send reaches the helper, not us. */
function answerIn(line: string): Answered | null {
  const answered = parsedJson(line);
  return isFields(answered) && typeof answered.id === 'number' ? (answered as Answered) : null;
}

/** The end of its input tells the helper that its supervisor is gone; if it does not read, the kernel kills it. */
function tethered(argv: readonly [string, ...string[]], { PATH }: NodeJS.ProcessEnv): readonly [string, ...string[]] {
  const setpriv = process.platform === 'linux' ? findProgram('setpriv', PATH, '/') : null;
  return setpriv === null ? argv : [setpriv, '--pdeathsig', 'KILL', '--', ...argv];
}

/** Includes whatever it has started. The group's number is ours as long as anything is in it. */
function killGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) nullOn(['ESRCH', 'EPERM'], () => process.kill(-pid, 'SIGKILL'));
}
