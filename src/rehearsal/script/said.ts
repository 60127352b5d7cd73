/** Turns a script's turn into a reply to a request: its text in pieces, its actions as calls of offered tools. */
import { posix } from 'node:path';
import { shellQuote } from '../../core/text/quote-word.ts';
import type { ToolCall, Turn, Usage } from './script.ts';

export interface Said {
  readonly think: string;
  /** In pieces, as a model streams it; generated again for each iteration, so that it need not be kept in memory. */
  readonly text: Iterable<string>;
  readonly tools: readonly Call[];
  readonly usage: Required<Usage>;
}

/** A tool call; `input` is a string for tools that take plain text. */
export interface Call {
  readonly name: string;
  readonly input: ToolCall['input'] | string;
}

/** The usage of a turn that sets none; not zero, so that a report shows that usage arrives. */
const DEFAULT_USAGE: Usage = { inputTokens: 100, outputTokens: 20 };

/** Small enough to split tags, as a real model does. */
const PIECE = /.{1,20}/gsu;

export function say(turn: Turn, offered: readonly string[]): Said {
  const named = turn.tools ?? (turn.tool ? [turn.tool] : []);
  const command = commandOf(turn);
  const shell = command === undefined ? undefined : shellCall(command, offered);
  const excuse = `The rehearsal wanted to run a command, but knows none of the offered tools as a shell: ${offered.join(', ') || 'none at all'}.`;
  const words = [turn.say ?? '', command !== undefined && !shell ? excuse : ''].filter(Boolean).join('\n');
  const bytes = turn.fault && 'bigReplyBytes' in turn.fault ? turn.fault.bigReplyBytes : 0;
  return {
    think: turn.think ?? '',
    text: {
      *[Symbol.iterator]() {
        yield* filler(bytes);
        yield* words.match(PIECE) ?? [];
      },
    },
    tools: shell ? [...named, shell] : named,
    usage: { cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, ...(turn.usage ?? DEFAULT_USAGE) },
  };
}

export function saysAnything({ text }: Said): boolean {
  for (const piece of text) return piece !== '';
  return false;
}

const LINES_IN_PIECE = 500;

/** Short, numbered lines: Gemini stops a model that repeats fifty characters a few times. */
function* filler(bytes: number): Generator<string> {
  let lines = 0;
  for (let left = bytes; left > 0; ) {
    const piece = Array.from({ length: LINES_IN_PIECE }, () => `Line ${++lines} of a big reply.\n`).join('');
    yield piece.slice(0, left);
    left -= piece.length;
  }
}

interface FileWrite {
  readonly path: string;
  readonly content: string;
}

/** The part of a turn that becomes a command; the schema of turns uses it. */
interface Work {
  readonly write?: FileWrite | readonly FileWrite[];
  readonly run?: string | readonly string[];
}

/** A single call: some agents run the calls of one reply in parallel, and order matters here. */
export function commandOf({ write = [], run = [] }: Work): string | undefined {
  const commands = [...[write].flat().map(writeCommand), ...[run].flat()];
  if (commands.length <= 1) return commands[0];
  // On separate lines, so that a here-document or a comment ends where it should.
  return commands.map((command) => `{\n${command}\n}`).join(' && ');
}

/** `printf`, not `echo` or a here-document: it changes neither backslashes nor a missing final newline. */
function writeCommand({ path, content }: FileWrite): string {
  const folder = posix.dirname(path);
  const write = `printf %s ${shellQuote(content)} > ${shellQuote(path)}`;
  return folder === '.' || folder === '/' ? write : `mkdir -p -- ${shellQuote(folder)} && ${write}`;
}

type Inputs = (command: string) => Call['input'];

/** Codex waits no longer: a longer command goes to the background, and Codex continues with part of its output. */
const YIELD_MS = 30_000;

const described: Inputs = (command) => ({ command, description: 'A step of the rehearsal' });
const inJavaScript: Inputs = (cmd) =>
  `const done = await tools.exec_command(${JSON.stringify({ cmd, yield_time_ms: YIELD_MS })});\ntext(done.output ?? done);`;

/** In order of preference, since an agent may offer an older tool next to its current one. */
const SHELL_TOOLS: readonly (readonly [name: string, Inputs])[] = [
  // Claude Code
  ['Bash', described],
  // Codex
  ['exec_command', (cmd) => ({ cmd, yield_time_ms: YIELD_MS })],
  ['shell_command', (command) => ({ command })],
  ['shell', (command) => ({ command: ['bash', '-lc', command] })],
  // opencode, Copilot, pi
  ['bash', described],
  // Gemini, Qwen
  ['run_shell_command', described],
  // Codex with its newest models, which call all other tools from JavaScript
  ['exec', inJavaScript],
];

/** Undefined if none of the offered tools is a known shell. */
export function shellCall(command: string, offered: readonly string[]): Call | undefined {
  const [name = '', inputs] = SHELL_TOOLS.find(([tool]) => offered.includes(tool)) ?? [];
  return inputs && { name, input: inputs(command) };
}
