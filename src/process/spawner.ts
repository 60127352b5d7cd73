/**
 * Starts one program after another through a small process that does nothing else. A fork copies the page tables of the
 * whole process, and this one has a JavaScript heap; a little perl is copied before the request comes, while we are
 * still at other things, and only the copy moves into the cgroup leaf.
 *
 *     ralph ── request ──► waiting copy ── enters the leaf, becomes the program
 *       ▲                       │ child of
 *       └── started, exited ── spawner      ended by the kernel when ralph dies
 *
 * The leaf is the permission to start: it is made before the request and entered first of all. Whoever ends the run of a
 * ralph that died removes it, and a request that was still on its way starts nothing.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { getSystemErrorName } from 'node:util';
import type { Exit } from '../core/outcome.ts';

export interface SpawnRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly leaf: string;
  readonly stdin: string;
  /** Files that are appended to. */
  readonly stdout: string;
  readonly stderr: string;
}

export interface Spawned {
  /** Null when the spawner died before it could tell. */
  readonly pid: number | null;
  readonly exited: Promise<Exit>;
}

export interface Spawner {
  /**
   * Resolves once the program has been started, rejects when it cannot be. Null when the caller must start it: the
   * spawner is not there, not yet, or has a program already.
   */
  start(request: SpawnRequest): Promise<Spawned> | null;
  /** Resolves when it is gone, unless its program still runs. */
  close(): Promise<void>;
}

/** So many starts a loop makes without: one that ends soon does not pay for it. */
const STARTS_WITHOUT = 2;

/** Not perl's own variables: they could make it another program. A started one gets them all the same. */
const PERL_VARIABLE = /^PERL/;

/**
 * The copy says `s` when it has its request, and why it could not become the program; a program closes the pipe with its
 * start. One that closes it without a word got no request: ralph is gone. What it does first (no folder is a program) has
 no other use than that the memory it needs is copied before somebody waits for it.
 */
const PROGRAM = String.raw`
  sub refuse { syswrite $said, $! + 0; exit }
  sub become {
    open STDERR, '>>', '/dev/null';
    exec { '/' } '/';
    my ($length, $request) = (0, '');
    until ($length and length $request == $length) {
      sysread STDIN, $request, 8192, length $request or exit;
      $length = $1 + length $& if !$length and $request =~ /^run (\d+)\n/;
    }
    syswrite $said, 's';
    my ($leaf, $cwd, $in, $out, $err, $words, @rest) = split /\0/, substr($request, index($request, "\n") + 1), -1;
    open STDIN, '>', "$leaf/cgroup.procs" or refuse;
    syswrite STDIN, '0' or refuse;
    setpgrp;
    chdir $cwd or refuse;
    my $umask = umask 077;
    open STDIN, '<', $in or refuse;
    open STDOUT, '>>', $out or refuse;
    open STDERR, '>>', $err or refuse;
    umask $umask;
    my @argv = splice @rest, 0, $words;
    for (@rest) {
      my ($name, $value) = split /=/, $_, 2;
      defined $value ? ($ENV{$name} = $value) : delete $ENV{$name};
    }
    exec { $argv[0] } @argv or refuse;
  }
  syswrite STDOUT, "ready\n" or exit;
  for (;;) {
    pipe my $hear, $said or exit;
    defined(my $pid = fork) or exit;
    $pid or become;
    close $said;
    my $heard = '';
    1 while sysread $hear, $heard, 64, length $heard;
    $heard or exit;
    $heard eq 's' and (syswrite STDOUT, "p$pid\n" or exit);
    waitpid $pid, 0;
    syswrite STDOUT, $heard eq 's' ? "x$?\n" : "$heard\n" or exit;
  }
`;

/** How whoever asked is answered. */
interface Run {
  started(pid: number | null): void;
  refused(errno: number): void;
  exited(exit: Exit): void;
}

type Helper = ChildProcessByStdio<Writable, Readable, null>;

type State =
  | { readonly is: 'not-begun'; readonly starts: number }
  | { readonly is: 'coming' | 'idle'; readonly child: Helper }
  | { readonly is: 'busy'; readonly child: Helper; readonly run: Run }
  | { readonly is: 'gone' };

export function openSpawner(env: NodeJS.ProcessEnv, startsWithout = STARTS_WITHOUT): Spawner {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !PERL_VARIABLE.test(name)));
  let state: State = { is: 'not-begun', starts: 0 };

  const begin = (): void => {
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', 'perl', '-e', PROGRAM], {
      env: own,
      // A session of its own: no terminal, and no signal from one.
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    state = { is: 'coming', child };
    let rest = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = `${rest}${chunk.toString('latin1')}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) hear(line, child);
    });
    // Not there, or ended: its output tells that, too.
    child.stdin.on('error', ignored);
    child.on('error', ignored);
    child.stdout.once('close', gone);
  };
  const hear = (line: string, child: Helper): void => {
    if (state.is === 'coming') state = { is: 'idle', child };
    if (state.is !== 'busy') return;
    const { run } = state;
    const number = Number(line.slice(1));
    if (line.startsWith('p')) {
      run.started(number);
      return;
    }
    state = { is: 'idle', child };
    if (line.startsWith('x')) run.exited(exitOf(number));
    else run.refused(number);
  };
  const gone = (): void => {
    const last = state;
    state = { is: 'gone' };
    if (last.is !== 'busy') return;
    // Perhaps it was started, perhaps it runs: whoever sees the exit sees to the end of its leaf.
    last.run.started(null);
    last.run.exited({ by: 'unseen' });
  };

  return {
    start(request) {
      if (state.is === 'not-begun') {
        state = { is: 'not-begun', starts: state.starts + 1 };
        if (state.starts >= startsWithout) begin();
        return null;
      }
      if (state.is !== 'idle') return null;
      const bytes = encoded(request, own);
      if (bytes === null) return null;
      const { child } = state;
      return new Promise((resolve, reject) => {
        const exited = new Promise<Exit>((end) => {
          state = {
            is: 'busy',
            child,
            run: {
              started: (pid) => resolve({ pid, exited }),
              refused: (errno) => reject(spawnError(request.argv[0] ?? '', getSystemErrorName(-errno))),
              exited: end,
            },
          };
        });
        child.stdin.write(bytes);
      });
    },
    async close() {
      if (state.is === 'not-begun' || state.is === 'gone') return;
      const { child, is } = state;
      child.stdin.end();
      // Also for one that could not be started: its `error` is no reason to fail.
      if (is !== 'busy') await new Promise((resolve) => child.once('close', resolve));
    },
  };
}

/** Null for what cannot be said so: no argument can hold a NUL, and whoever starts the program will say that. */
function encoded({ argv, cwd, env, leaf, stdin, stdout, stderr }: SpawnRequest, own: NodeJS.ProcessEnv): Buffer | null {
  const words = [leaf, cwd, stdin, stdout, stderr, String(argv.length), ...argv, ...differences(own, env)];
  if (words.some((word) => word.includes('\0'))) return null;
  const body = Buffer.from(words.join('\0'));
  return Buffer.concat([Buffer.from(`run ${body.length}\n`), body]);
}

/** `NAME=value` for a variable that is to be set, `NAME` for one that is to go. */
function differences(own: NodeJS.ProcessEnv, env: NodeJS.ProcessEnv): string[] {
  const gone = Object.keys(own).filter((name) => env[name] === undefined);
  const set = Object.entries(env).filter(([name, value]) => value !== undefined && value !== own[name]);
  return [...gone, ...set.map(([name, value]) => `${name}=${value}`)];
}

/** As `spawn` itself says it. */
function spawnError(program: string, code: string): Error {
  const syscall = `spawn ${program}`;
  return Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
}

/** From what wait(2) says. */
function exitOf(status: number): Exit {
  const signal = status & 0x7f;
  if (signal === 0) return { by: 'code', code: status >> 8 };
  const [name] = Object.entries(constants.signals).find(([, number]) => number === signal) ?? ['unknown'];
  return { by: 'signal', signal: name };
}

function ignored(): void {
  // Nobody is left to tell.
}
