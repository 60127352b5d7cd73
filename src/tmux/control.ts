/**
 * One control-mode connection to a tmux server, for all panes and sessions on it: a command is a line on a pipe, not a
 * process. It is made when the first command is sent, and again when it was lost; `no-output` keeps what panes print
 * off it, `ignore-size` keeps it from shaping windows.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { findProgram } from '../process/which.ts';
import { controlReader, type Reply } from './control-reader.ts';

export interface ControlOptions {
  /** A server by its `-L` name; null for the user's default one. */
  readonly socket: string | null;
  /** A session of ours on that server, which holds the connection. */
  readonly session: string;
  readonly env: NodeJS.ProcessEnv;
}

export type TmuxCommand = readonly [string, ...string[]];

export interface Control {
  /** Resolves to what the command printed. Throws TmuxRefusal or TmuxGone. */
  send(command: TmuxCommand): Promise<string>;
  /** Many commands in one write; one that is refused does not stop the others. */
  sendAll(commands: readonly TmuxCommand[]): Promise<Answer[]>;
  /** Ends the connection; commands that wait fail with TmuxGone. */
  close(): void;
}

export type Answer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: TmuxRefusal | TmuxGone };

/** tmux said no, in these words. */
export class TmuxRefusal extends Error {
  constructor(command: TmuxCommand, words: string) {
    super(`tmux ${command[0]}: ${words}`);
  }
}

/** No answer comes: there is no server or no session (`nowhere`), or it was lost while a command waited (`lost`). */
export class TmuxGone extends Error {
  constructor(
    readonly what: 'nowhere' | 'lost',
    words: string,
  ) {
    super(words || 'the tmux server does not answer');
  }
}

export function openControl(options: ControlOptions): Control {
  let connecting: Promise<Connection> | null = null;
  let isClosed = false;

  const connection = (): Promise<Connection> => {
    const made = connecting ?? attach(options, () => forget(made));
    connecting = made;
    // After a failed attempt the next command tries again.
    made.catch(() => forget(made));
    return made;
  };
  const forget = (made: Promise<Connection>): void => {
    if (connecting === made) connecting = null;
  };
  const sendAll = async (commands: readonly TmuxCommand[]): Promise<Answer[]> => {
    if (commands.length === 0) return [];
    try {
      if (isClosed) throw new TmuxGone('lost', 'the connection to tmux was closed');
      return await (await connection()).ask(commands);
    } catch (error) {
      if (!(error instanceof TmuxGone)) throw error;
      return commands.map(() => ({ ok: false, error }));
    }
  };

  return {
    sendAll,
    async send(command) {
      const [answer] = await sendAll([command]);
      if (answer?.ok !== true) throw answer?.error ?? new TmuxGone('lost', '');
      return answer.text;
    },
    close() {
      isClosed = true;
      // One that was never made needs no end.
      connecting?.then(({ close }) => close()).catch(() => undefined);
    },
  };
}

interface Connection {
  ask(commands: readonly TmuxCommand[]): Promise<Answer[]>;
  close(): void;
}

/** Resolves when tmux has answered the attach itself: commands sent before could be lost with it. */
function attach(options: ControlOptions, onEnd: () => void): Promise<Connection> {
  const child = startClient(options);
  return new Promise((resolve, reject) => {
    const waiting: { readonly command: TmuxCommand; answer(answer: Answer): void }[] = [];
    let state: 'attaching' | 'attached' | 'closing' | 'ended' = 'attaching';
    let words = '';

    const connection: Connection = {
      ask(commands) {
        // All lines first: a command that cannot be written must not leave others without an answer.
        const lines = commands.map(commandLine).join('');
        if (state !== 'attached') {
          return Promise.resolve(commands.map(() => ({ ok: false, error: new TmuxGone('lost', words) })));
        }
        const answers = commands.map((command) => new Promise<Answer>((answer) => waiting.push({ command, answer })));
        child.stdin.write(lines);
        return Promise.all(answers);
      },
      close() {
        if (state === 'attached') state = 'closing';
        answerAll(new TmuxGone('lost', 'the connection to tmux was closed'));
        // The end of its input is what a control client leaves at.
        child.stdin.end();
      },
    };
    const answerAll = (error: TmuxGone): void => {
      for (const { answer } of waiting.splice(0)) answer({ ok: false, error });
    };
    const onReply = ({ isOurs, isError, text }: Reply): void => {
      if (state === 'attaching') {
        words = text;
        if (isError) return;
        state = 'attached';
        resolve(connection);
        return;
      }
      const next = isOurs ? waiting.shift() : undefined;
      next?.answer(isError ? { ok: false, error: new TmuxRefusal(next.command, text) } : { ok: true, text });
    };
    const end = (): void => {
      if (state === 'ended') return;
      const gone = new TmuxGone(state === 'attaching' ? 'nowhere' : 'lost', words.trim());
      state = 'ended';
      onEnd();
      reject(gone);
      answerAll(gone);
    };
    const reader = controlReader({
      reply: onReply,
      notification: (line) => {
        if (!line.startsWith('%exit') || state === 'attaching') return;
        words = line.slice('%exit'.length);
        end();
      },
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (!reader.push(text)) child.kill('SIGTERM');
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      words += text;
    });
    // It left while we wrote: its end is seen below.
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => {
      words = error.message;
      end();
    });
    child.on('close', end);
  });
}

/**
 * `-N`: never start a server only to ask it. `-u`: what panes show comes as UTF-8 whatever the locale. `-E`: the
 * session keeps its environment.
 */
function startClient({ session, socket, env }: ControlOptions): ChildProcessByStdio<Writable, Readable, Readable> {
  const server = socket === null ? [] : ['-L', socket];
  const attach = ['attach-session', '-E', '-t', `=${session}`, '-f', 'no-output,ignore-size'];
  const client = ['tmux', '-N', '-u', ...server, '-C', ...attach];
  const [program = '', ...args] = hasSetpriv(env) ? endingWith(process.pid, client) : client;
  return spawn(program, args, {
    env: { ...env, TMUX: undefined, TMUX_PANE: undefined },
    // In a group of its own: a Ctrl-C is for us, and we close it when we are through.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/**
 * A client whose owner is killed while it attaches does not see the end of its input, and would hold the server for ever.
 * The kernel ends it, unless the owner died before it was asked to: then the shell's parent is another process.
 */
export function endingWith(owner: number, client: readonly string[]): readonly string[] {
  const check = '[ "$PPID" = "$0" ] && exec "$@"';
  return ['setpriv', '--pdeathsig', 'TERM', '--', 'sh', '-c', check, String(owner), ...client];
}

function hasSetpriv({ PATH }: NodeJS.ProcessEnv): boolean {
  return process.platform === 'linux' && findProgram('setpriv', PATH, '/') !== null;
}

/** A command as tmux's own parser reads back exactly: arguments hold any text but NUL, which no tmux argument can. */
export function commandLine(command: TmuxCommand): string {
  return `${command.map((argument) => `"${argument.replaceAll(SPECIAL, octal)}"`).join(' ')}\n`;
}

/** In double quotes tmux still expands `$` and a `~` that stands first; a line feed as it is would end the command. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
const SPECIAL = /["$\\~\u0000-\u001f\u007f]/g;

function octal(character: string): string {
  if (character === '\0') throw new Error('an argument of tmux cannot hold a NUL');
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
}
