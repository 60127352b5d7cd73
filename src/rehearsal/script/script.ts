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
    lastUser: text.exactOptional().describe('Occurs in the last user message or tool result.'),
    anywhere: text.exactOptional().describe('Occurs in any message or instruction of the request.'),
    model: text.exactOptional().describe("Is part of the model's name."),
    pattern: text
      .refine(isPattern, { error: 'is no regular expression' })
      .exactOptional()
      .describe('A regular expression that any message or instruction matches; $1 in "say" is its first group.'),
  })
  .refine((given) => Object.keys(given).length > 0, { error: 'needs "lastUser", "anywhere", "model" or "pattern"' });

const tool = z.strictObject({ name: text, input: z.record(z.string(), z.unknown()) });

const write = z.strictObject({
  path: text.describe("Relative to the agent's working directory; parent folders are made."),
  content: z.string().refine((content) => !content.includes('\0'), { error: 'a shell command cannot hold NUL' }),
});

const usage = z.strictObject({
  inputTokens: count.describe('Without those that the cache served or took.'),
  outputTokens: count.describe('With those of the reasoning.'),
  cacheReadTokens: count.exactOptional(),
  cacheWriteTokens: count.exactOptional(),
  reasoningTokens: count.exactOptional(),
});

const window = z.strictObject({
  used: z.number().min(0).max(1).describe('From 0 to 1.'),
  resetInSeconds: count.describe('When it resets, from the request on.'),
});

const statusFault = z
  .strictObject({
    status: z.int().min(400).max(599).describe('401, 429, 500, 529 or any other 4xx or 5xx.'),
    message: text.exactOptional().describe("Instead of the vendor's own words."),
    resetInSeconds: count.exactOptional().describe('When the usage limit of a 429 ends, from the request on.'),
    resetAt: z.iso.datetime({ offset: true }).exactOptional().describe('The same as an ISO time.'),
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
    stall: z.enum(['before', 'middle']).describe('Silence before the headers or in the middle of the stream.'),
    forMs: count.exactOptional().describe('Then the reply continues; without it, the silence does not end.'),
  }),
  z.strictObject({ cut: z.enum(['before', 'event']).describe('The connection is destroyed.') }),
  z.strictObject({
    malformed: z.literal(true).describe('Invalid JSON from the middle of the stream on, or as the body.'),
  }),
  z.strictObject({
    bigReplyBytes: z.int().min(1).max(BIGGEST_REPLY).describe('This much text before what the turn says.'),
  }),
]);

const DOES_SOMETHING = ['think', 'say', 'tool', 'tools', 'run', 'write', 'fault'] as const;

const turn = z
  .strictObject({
    match: z
      .union([text, match])
      .exactOptional()
      .describe('When it may be taken; a text is for the last user message.'),
    times: z.int().positive().exactOptional().describe('How often it is played, 1 by default.'),
    think: z.string().exactOptional().describe('Reasoning, before the rest.'),
    say: z.string().exactOptional(),
    tool: tool.exactOptional().describe('A call of a tool by its exact name.'),
    tools: z.array(tool).min(1).exactOptional().describe('Several calls in one reply.'),
    run: oneOrMore(text).exactOptional().describe('Shell commands, by whatever shell tool the agent offers.'),
    write: oneOrMore(write).exactOptional().describe('Files to write, before "run", by the same tool.'),
    usage: usage.exactOptional(),
    window: window.exactOptional().describe("The five hours of Claude Code's subscription, as the reply reports them."),
    delayMs: count.exactOptional().describe('Silence before the first byte.'),
    fault: fault.exactOptional().describe('How the reply goes wrong.'),
  })
  .refine((turn) => DOES_SOMETHING.some((key) => turn[key] !== undefined), {
    error: 'A turn needs one of "say", "think", "tool", "tools", "run", "write" or "fault"',
  })
  .refine((turn) => !(turn.tool && turn.tools), { error: 'A turn has "tool" or "tools", not both', path: ['tools'] })
  .refine((turn) => Buffer.byteLength(commandOf(turn) ?? '') <= LONGEST_COMMAND, {
    error: `what is written and run must fit in one shell command of ${LONGEST_COMMAND} bytes`,
    path: ['write'],
  });

/** The fallback has no condition: if it could fail to match, the agent would get no answer. */
const otherwise = turn
  .refine((turn) => turn.match === undefined, {
    error: '"otherwise" is played unconditionally and takes no "match"',
    path: ['match'],
  })
  .refine((turn) => turn.times === undefined, {
    error: '"otherwise" is played as often as nothing else fits and takes no "times"',
    path: ['times'],
  });

export const scriptSchema = z.strictObject({
  $schema: z.string().exactOptional().describe('Where editors find this schema.'),
  turns: z.array(turn).describe('What the model replies, in order.'),
  otherwise: otherwise.exactOptional().describe('Played whenever no matching turn is left.'),
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
