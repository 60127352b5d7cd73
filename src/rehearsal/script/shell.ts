/** What a turn wants written and run: one shell command, said as a call of whichever shell tool the agent offers. */
import { posix } from 'node:path';
import { shellQuote } from '../../core/text/quote-word.ts';
import type { ToolCall } from './script.ts';

/** A call of a tool; one whose input is no JSON but free text has a string. */
export interface Call {
  readonly name: string;
  readonly input: ToolCall['input'] | string;
}

interface Work {
  readonly write?: FileWrite | readonly FileWrite[];
  readonly run?: string | readonly string[];
}

interface FileWrite {
  readonly path: string;
  readonly content: string;
}

/** One call and not several: some agents run the calls of one reply at the same time, and order matters here. */
export function commandOf({ write = [], run = [] }: Work): string | undefined {
  const commands = [...[write].flat().map(writeCommand), ...[run].flat()];
  const [only] = commands;
  if (commands.length <= 1) return only;
  // On lines of their own, so that a here-document or a comment ends where it should.
  return commands.map((command) => `{\n${command}\n}`).join(' && ');
}

/** `printf` and not `echo` or a here-document: neither backslashes nor a missing last newline change on the way. */
function writeCommand({ path, content }: FileWrite): string {
  const folder = posix.dirname(path);
  const write = `printf %s ${shellQuote(content)} > ${shellQuote(path)}`;
  return folder === '.' || folder === '/' ? write : `mkdir -p -- ${shellQuote(folder)} && ${write}`;
}

type Inputs = (command: string) => Call['input'];

/** The longest that Codex waits: what takes longer it leaves in the background, and goes on with half of the output. */
const YIELD_MS = 30_000;

const described: Inputs = (command) => ({ command, description: 'A step of the rehearsal' });

/** In the order of preference, since an agent may offer an older one beside its own. */
const SHELL_TOOLS: ReadonlyMap<string, Inputs> = new Map([
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
  [
    'exec',
    (cmd) =>
      `const done = await tools.exec_command(${JSON.stringify({ cmd, yield_time_ms: YIELD_MS })});\ntext(done.output ?? done);`,
  ],
]);

/** Undefined when none of the offered tools is a shell that we know. */
export function shellCall(command: string, offered: readonly string[]): Call | undefined {
  for (const [name, inputs] of SHELL_TOOLS) {
    if (offered.includes(name)) return { name, input: inputs(command) };
  }
  return undefined;
}
