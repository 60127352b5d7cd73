/**
 * Answers `ralph ls` and `ralph status`, which people and shell prompts run all day, without loading the parser of all
 * commands. A command line that is not plain is left to that parser.
 */
import { fstatSync, statSync } from 'node:fs';
import { readEnvironment } from '../config/environment.ts';
import { errnoOf } from '../core/error.ts';
import { WIDTH } from '../core/text/wrap.ts';
import { localStore } from '../engine/store/local-store.ts';
import type { LoopStore } from '../engine/store/loop-store.ts';
import { writeAll } from '../process/blocking.ts';
import { realPath } from '../process/files.ts';
import { printable } from '../stream/printable.ts';
import { machineOf } from '../views/machines.ts';
import type { LoopsContext } from './loops/context.ts';
import type { LsFlags } from './loops/ls.ts';
import { RUNS_BEFORE_OPTIMIZING } from './runs-before-optimizing.ts';

export type QuickCommand = (context: LoopsContext) => Promise<number>;

const LS_FLAGS = ['-a', '--all', '--json'];
const LOOP_NAME = /^\w[\w.-]*$/;

/** Null for any other command line. */
export function quickCommand([command, ...words]: readonly string[]): QuickCommand | null {
  if (command === 'ls') {
    if (!words.every((word) => LS_FLAGS.includes(word))) return null;
    const flags: LsFlags = { all: words.some((word) => word !== '--json'), json: words.includes('--json') };
    return async (context) => {
      await expectLoops(context.store);
      return (await import('./loops/ls.ts')).lsCommand(flags, context);
    };
  }
  if (command !== 'status') return null;
  const [name = null, ...more] = words.filter((word) => word !== '--json');
  if (more.length > 0 || (name !== null && !LOOP_NAME.test(name))) return null;
  const flags = { json: words.includes('--json') };
  return async (context) => {
    if (name === null) await expectLoops(context.store);
    return (await import('./loops/status.ts')).statusCommand(name, flags, context);
  };
}

const MANY_LOOPS = 600;

/** Prepares V8 for reading many loops. For a few loops, loading the module would take longer than it saves. */
async function expectLoops(store: LoopStore): Promise<void> {
  if ((await store.ids()).length < MANY_LOOPS) return;
  (await import('node:v8')).setFlagsFromString(RUNS_BEFORE_OPTIMIZING);
}

/** On a terminal, the lines are coloured and fitted; otherwise all of them are written at once, at the end. */
export async function answerAtOnce(command: QuickCommand): Promise<number> {
  if (mayBeTerminal(1)) return command((await import('./loops/context.ts')).loopsContext());
  const { mask, ...environment } = readEnvironment();
  const lines: string[] = [];
  const context: LoopsContext = {
    environment: { ...environment, mask },
    store: localStore(environment.root, machineOf),
    cwd: realPath(process.cwd()),
    now: Date.now(),
    columns: null,
    width: WIDTH,
    say: (line) => void lines.push(`${mask(printable(line))}\n`),
    printed: async () => undefined,
    // Made only on request, as Node loads a module for it; these commands do not request it.
    get unread() {
      return new AbortController().signal;
    },
  };
  const code = await command(context);
  show(lines.join(''));
  return code;
}

/** A character device that is not `/dev/null`. Node's own `isatty` would load all of its network code. */
function mayBeTerminal(fd: number): boolean {
  const stat = fstatSync(fd);
  return stat.isCharacterDevice() && stat.rdev !== statSync('/dev/null').rdev;
}

/** If the reader of a pipe has gone, the output ends without an error. */
function show(text: string): void {
  try {
    writeAll(text);
  } catch (error) {
    if (errnoOf(error) !== 'EPIPE') throw error;
  }
}
