/** The schema of a script for the scripted model. The shipped JSON Schema is generated from it. */
import * as z from 'zod';
import { commandOf } from './said.ts';

/** Linux limits the length of one argument, and a command is one argument of `sh -c`. */
const LONGEST_COMMAND = 120_000;

/** Half of V8's longest string, since one vendor's API repeats the whole text in one event. */
const BIGGEST_REPLY = 256 * 1024 * 1024;

const count = z.int().nonnegative();
const text = z.string().min(1);
const oneOrMore = <Item extends z.ZodType>(item: Item) => z.union([item, z.array(item).min(1)]);

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'm') instanceof RegExp;
  } catch {
    return false;
  }
}

const match = z
  .strictObject({
    lastUser: text.exactOptional().describe('Text that the last user message or tool result must contain.'),
    anywhere: text.exactOptional().describe('Text that any message or instruction of the request must contain.'),
    model: text.exactOptional().describe('Text that the name of the model must contain.'),
    pattern: text
      .refine(isPattern, { error: 'is not a regular expression' })
      .exactOptional()
      .describe('A regular expression that any message or instruction must match; $1 in "say" is its first group.'),
  })
  .refine((given) => Object.keys(given).length > 0, { error: 'needs "lastUser", "anywhere", "model" or "pattern"' });

const tool = z.strictObject({ name: text, input: z.record(z.string(), z.unknown()) });

const write = z.strictObject({
  path: text.describe("The path, relative to the agent's working directory; missing parent folders are created."),
  content: z
    .string()
    .refine((content) => !content.includes('\0'), { error: 'must not contain NUL: it is passed in a shell command' }),
});

const usage = z.strictObject({
  inputTokens: count.describe('Input tokens, not counting those read from or written to the cache.'),
  outputTokens: count.describe('Output tokens, including reasoning tokens.'),
  cacheReadTokens: count.exactOptional(),
  cacheWriteTokens: count.exactOptional(),
  reasoningTokens: count.exactOptional(),
});

const window = z.strictObject({
  used: z.number().min(0).max(1).describe('How much of the window is used, from 0 to 1.'),
  resetInSeconds: count.describe('Seconds from the request until the window resets.'),
});

const statusFault = z
  .strictObject({
    status: z.int().min(400).max(599).describe('401, 429, 500, 529 or any other 4xx or 5xx.'),
    message: text.exactOptional().describe("The error message; by default, the vendor's own."),
    resetInSeconds: count.exactOptional().describe('For a 429: seconds from the request until the usage limit resets.'),
    resetAt: z.iso
      .datetime({ offset: true })
      .exactOptional()
      .describe('For a 429: when the usage limit resets, as an ISO 8601 time.'),
  })
  .refine(({ resetInSeconds, resetAt }) => resetInSeconds === undefined || resetAt === undefined, {
    error: 'has "resetInSeconds" or "resetAt", not both',
    path: ['resetAt'],
  })
  .refine(({ status, resetInSeconds, resetAt }) => status === 429 || (resetInSeconds ?? resetAt) === undefined, {
    error: 'only a 429 has a reset',
    path: ['status'],
  });

const fault = z.union([
  statusFault,
  z.strictObject({
    stall: z
      .enum(['before', 'middle'])
      .describe('Send nothing: "before" the headers, or from the "middle" of the stream on.'),
    forMs: count
      .exactOptional()
      .describe('How long to stall, in milliseconds; then the reply continues. By default, it never does.'),
  }),
  z.strictObject({
    cut: z
      .enum(['before', 'event'])
      .describe('Close the connection before the reply, or after an event in the middle of it.'),
  }),
  z.strictObject({
    malformed: z.literal(true).describe('Send invalid JSON from the middle of the stream on, or as the body.'),
  }),
  z.strictObject({
    bigReplyBytes: z
      .int()
      .min(1)
      .max(BIGGEST_REPLY)
      .describe('Send this many bytes of text before what the turn says.'),
  }),
]);

const DOES_SOMETHING = ['think', 'say', 'tool', 'tools', 'run', 'write', 'fault'] as const;

const turn = z
  .strictObject({
    match: z
      .union([text, match])
      .exactOptional()
      .describe('Which requests this turn answers; a string is the same as "lastUser".'),
    times: z.int().positive().exactOptional().describe('How many times this turn is played (default: 1).'),
    think: z.string().exactOptional().describe('Reasoning, sent before the rest.'),
    say: z.string().exactOptional(),
    tool: tool.exactOptional().describe('A tool call, with the exact name of the tool.'),
    tools: z.array(tool).min(1).exactOptional().describe('Several tool calls in one reply.'),
    run: oneOrMore(text).exactOptional().describe('Shell commands to run, with whatever shell tool the agent offers.'),
    write: oneOrMore(write).exactOptional().describe('Files to write before "run", with the same tool.'),
    usage: usage.exactOptional(),
    window: window
      .exactOptional()
      .describe('The five-hour usage window of a Claude Code or Codex subscription, as the reply reports it.'),
    delayMs: count.exactOptional().describe('How long to wait before the first byte, in milliseconds.'),
    fault: fault.exactOptional().describe('How the reply fails.'),
  })
  .refine((turn) => DOES_SOMETHING.some((key) => turn[key] !== undefined), {
    error: 'A turn needs one of "say", "think", "tool", "tools", "run", "write" or "fault"',
  })
  .refine((turn) => !(turn.tool && turn.tools), { error: 'A turn has "tool" or "tools", not both', path: ['tools'] })
  .refine((turn) => Buffer.byteLength(commandOf(turn) ?? '') <= LONGEST_COMMAND, {
    error: `"write" and "run" together must fit in one shell command of ${LONGEST_COMMAND} bytes`,
    path: ['write'],
  });

/** The fallback has no condition: if it could fail to match, the agent would get no answer. */
const otherwise = turn
  .refine((turn) => turn.match === undefined, {
    error: '"otherwise" is unconditional and takes no "match"',
    path: ['match'],
  })
  .refine((turn) => turn.times === undefined, {
    error: '"otherwise" is played whenever no turn matches and takes no "times"',
    path: ['times'],
  });

export const scriptSchema = z.strictObject({
  $schema: z.string().exactOptional().describe('The JSON Schema of this file, for editors.'),
  turns: z.array(turn).describe('The replies of the model, in order.'),
  otherwise: otherwise.exactOptional().describe('The reply to requests that no remaining turn matches.'),
});

export type Script = Omit<z.infer<typeof scriptSchema>, 'turns'> & { readonly turns: readonly Turn[] };
export type Turn = z.infer<typeof turn>;
export type ToolCall = z.infer<typeof tool>;
export type Usage = z.infer<typeof usage>;
export type UsageWindow = z.infer<typeof window>;
export type Fault = z.infer<typeof fault>;

export function scriptJsonSchema(): object {
  return z.toJSONSchema(scriptSchema, { io: 'input', unrepresentable: 'any' });
}
