/** What a scripted model plays, and the check that a file really says that. */
import * as z from 'zod';
import { RalphError } from '../core/error.ts';

export interface Script {
  readonly turns: readonly Turn[];
  /** Played whenever no turn is left that fits; without it the model says that the script is exhausted. */
  readonly otherwise?: Turn;
}

/** One reply of the model. */
export interface Turn {
  /** The turn is only taken when the last user message holds this text. */
  readonly match?: string;
  readonly say?: string;
  readonly tool?: ToolCall;
  readonly tools?: readonly ToolCall[];
  readonly usage?: Usage;
  /** Silence before the first byte. */
  readonly delayMs?: number;
}

export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Reads a script from JSON text; `source` names it in errors. */
export function parseScript(text: string, source: string): Script {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw refuse(`${source} is not JSON: ${why}`);
  }
  return checkScript(value, source);
}

export function checkScript(value: unknown, source: string): Script {
  const checked = scriptSchema.safeParse(value);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  if (!issue) throw refuse(`${source} is not a script.`);
  throw refuse(`${source}: ${placeOf(issue)}: ${issue.message}`);
}

/** A turn may name one tool or several; everything behind the file only knows several. */
export function toolsOf(turn: Turn): readonly ToolCall[] {
  return turn.tools ?? (turn.tool ? [turn.tool] : []);
}

const count = z.int().nonnegative();

const toolSchema = z.strictObject({ name: z.string().min(1), input: z.record(z.string(), z.unknown()) });

const turnSchema = z
  .strictObject({
    match: z.string().min(1).exactOptional(),
    say: z.string().exactOptional(),
    tool: toolSchema.exactOptional(),
    tools: z.array(toolSchema).min(1).exactOptional(),
    usage: z.strictObject({ inputTokens: count, outputTokens: count }).exactOptional(),
    delayMs: count.exactOptional(),
  })
  .refine((turn) => turn.say !== undefined || turn.tool || turn.tools, {
    message: 'A turn needs "say", "tool" or "tools"',
  })
  .refine((turn) => !(turn.tool && turn.tools), { message: 'A turn has "tool" or "tools", not both', path: ['tools'] });

/** The last resort has no condition: one that could fail to match would leave the agent without an answer. */
const otherwiseSchema = turnSchema.refine((turn) => turn.match === undefined, {
  message: '"otherwise" is played unconditionally and takes no "match"',
  path: ['match'],
});

const scriptSchema = z.strictObject({ turns: z.array(turnSchema), otherwise: otherwiseSchema.exactOptional() });

/** `turns[1].tool.name`: where in the file the bad value stands. */
function placeOf(issue: z.core.$ZodIssue): string {
  // An unknown key is reported at the object that holds it; people look for the key.
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
  const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return place.replace(/^\./, '') || 'the script';
}

function refuse(message: string): RalphError {
  return new RalphError('rehearsal-script', message, {
    hint: 'A script looks like {"turns": [{"tool": {"name": "Bash", "input": {"command": "ls"}}}, {"say": "Done."}]}.',
    exitCode: 2,
  });
}
