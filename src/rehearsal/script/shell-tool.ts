/** Finds the shell tool among those that an agent offers, and says a command in its words. */
import type { ToolCall } from './script.ts';

/** A call of a tool; one whose input is no JSON but free text has a string. */
export interface Call {
  readonly name: string;
  readonly input: ToolCall['input'] | string;
}

type Inputs = (command: string) => Call['input'];

const DESCRIPTION = 'A step of the rehearsal';

/** The longest that Codex waits: what takes longer it leaves in the background, and goes on with half of the output. */
const YIELD_MS = 30_000;

const described: Inputs = (command) => ({ command, description: DESCRIPTION });

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
