/** Decides how a request is answered. */
import { objectFrom, textFrom } from '../../agents/reading/json-line.ts';
import { isFields } from '../../core/text/json.ts';
import { anthropic } from '../api-emulators/anthropic.ts';
import { type ApiEmulator, type ApiRequest, type Generate, routeOf } from '../api-emulators/api-emulator.ts';
import { gemini } from '../api-emulators/gemini.ts';
import { openaiChat } from '../api-emulators/openai-chat.ts';
import { openaiResponses } from '../api-emulators/openai-responses.ts';
import { type Said, say } from '../script/said.ts';
import type { Script, Turn } from '../script/script.ts';

export type Plan = DirectPlan | TurnPlan;

interface DirectPlan {
  readonly emulator: ApiEmulator | undefined;
  readonly answer: DirectAnswer;
  readonly body: unknown;
}

export interface TurnPlan {
  readonly emulator: ApiEmulator;
  readonly answer: Answer;
  readonly ask: Generate;
  readonly turn: Turn;
  readonly said: Said;
}

export type Answer =
  | ScriptAnswer
  /** A request without tools, such as one for a title: a canned answer that leaves the script alone. */
  | { readonly kind: 'side' }
  | DirectAnswer;

/** Needs no turn: a token count, a refusal. */
interface DirectAnswer {
  readonly kind: 'direct';
  readonly status: number;
}

const EMULATORS: readonly ApiEmulator[] = [anthropic, openaiResponses, openaiChat, gemini];

export function planAnswer(asked: ApiRequest, script: Script, played: Played): Plan {
  for (const emulator of EMULATORS) {
    const ask = emulator.understand(asked);
    if (ask?.kind === 'direct') return direct(ask.status, ask.body, emulator);
    if (ask === undefined) continue;
    const { turn, answer } = isOfTheLoop(ask.tools)
      ? pickTurn(script, played, ask)
      : { turn: sideTurn(ask), answer: { kind: 'side' } as const };
    return { emulator, answer, ask, turn, said: say(turn, ask.tools) };
  }
  if (asked.method === 'GET' && routeOf(asked.path) === '/models') return direct(200, MODELS);
  const error = { type: 'not_found_error', message: `No rehearsal for ${asked.path}` };
  return direct(404, { type: 'error', error });
}

function direct(status: number, body: unknown, emulator?: ApiEmulator): DirectPlan {
  return { emulator, answer: { kind: 'direct', status }, body };
}

export type ScriptAnswer =
  | { readonly kind: 'turn'; readonly index: number }
  | { readonly kind: 'otherwise' }
  /** No turn matched, which the reply tells the agent. `left` turns wait for a match; 0 if all were played. */
  | { readonly kind: 'exhausted'; readonly left: number };

export type Played = ReadonlyMap<number, number>;

export type Asked = Pick<Generate, 'lastUserText' | 'text' | 'model'>;

/** The first turn that has plays left and whose condition holds. */
export function pickTurn(
  script: Script,
  played: Played,
  asked: Asked,
): { readonly turn: Turn; readonly answer: ScriptAnswer } {
  const toPlay = [...script.turns.entries()].filter(([index, { times = 1 }]) => (played.get(index) ?? 0) < times);
  const [index, turn] = toPlay.find(([, { match }]) => matches(match, asked)) ?? [];
  if (index !== undefined && turn) return { turn: withGroups(turn, asked), answer: { kind: 'turn', index } };
  if (script.otherwise) return { turn: script.otherwise, answer: { kind: 'otherwise' } };
  const left = toPlay.length;
  const why = left === 0 ? 'every turn was played' : `none of the ${left} left matches this request`;
  // A text without a tool call makes the agent stop instead of asking forever.
  return { turn: { say: `The rehearsal script is exhausted: ${why}.` }, answer: { kind: 'exhausted', left } };
}

function matches(match: Turn['match'], { lastUserText, text, model }: Asked): boolean {
  if (match === undefined) return true;
  if (typeof match === 'string') return lastUserText.includes(match);
  return (
    lastUserText.includes(match.lastUser ?? '') &&
    text.includes(match.anywhere ?? '') &&
    model.includes(match.model ?? '') &&
    new RegExp(match.pattern ?? '', 'm').test(text)
  );
}

/** Lets a script repeat what a prompt makes up, such as the tag in which it wants the answer. */
function withGroups(turn: Turn, { text }: Asked): Turn {
  const { match, say: words } = turn;
  if (typeof match !== 'object' || match.pattern === undefined || words === undefined) return turn;
  const groups = new RegExp(match.pattern, 'm').exec(text) ?? [];
  return { ...turn, say: words.replaceAll(/\$([1-9])/g, (all, number: string) => groups[Number(number)] ?? all) };
}

/**
 * Requests for titles, summaries and probes have no tools; Codex in a terminal asks for a title with just its editor.
 */
function isOfTheLoop(tools: readonly string[]): boolean {
  return tools.some((tool) => tool !== 'apply_patch');
}

function sideTurn({ answerSchema }: Generate): Turn {
  return { say: answerSchema === undefined ? 'Rehearsal' : JSON.stringify(sampleOf(answerSchema)) };
}

const MODEL = 'rehearsal';

/** Some agents request this at startup. One list in the formats of all vendors: the path does not tell who asks. */
const MODELS = {
  object: 'list',
  data: [{ id: MODEL, type: 'model', display_name: MODEL, object: 'model', created: 0, owned_by: MODEL }],
  has_more: false,
  first_id: MODEL,
  last_id: MODEL,
  // The key of Gemini and Codex; neither accepts the other's entries, and both work without any.
  models: [],
};

/**
 * The simplest value that a JSON Schema accepts, for side requests that need an answer in JSON: if the shape is wrong,
 * an agent asks again for minutes.
 */
export function sampleOf(schema: unknown): unknown {
  if (!isFields(schema)) return {};
  const { enum: values, const: only, type, properties, minimum } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(values)) return values[0] as unknown;
  // Gemini writes types in upper case; a list gives alternatives.
  switch (textFrom([type].flat()[0]).toLowerCase()) {
    case 'object':
      return Object.fromEntries(Object.entries(objectFrom(properties)).map(([key, value]) => [key, sampleOf(value)]));
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return typeof minimum === 'number' ? minimum : 1;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return 'Rehearsal';
  }
}
