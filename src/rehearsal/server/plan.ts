/** Decides how a request is answered. */

import { anthropic } from '../api-emulators/anthropic.ts';
import { type Generate, routeOf, type Wire, type WireName, type WireRequest } from '../api-emulators/api-emulator.ts';
import { gemini } from '../api-emulators/gemini.ts';
import { openaiChat } from '../api-emulators/openai-chat.ts';
import { openaiResponses } from '../api-emulators/openai-responses.ts';
import { type Played, pickTurn } from '../script/pick-turn.ts';
import { type Said, say } from '../script/said.ts';
import type { Fault, Script, Turn } from '../script/script.ts';
import type { Answer } from './record.ts';

export type Plan = JsonPlan | TurnPlan;

export interface JsonPlan {
  readonly send: 'json';
  readonly wire: WireName | undefined;
  readonly answer: Answer;
  readonly fault: undefined;
  readonly status: number;
  readonly body: unknown;
}

export interface TurnPlan {
  readonly send: 'turn';
  readonly wire: Wire;
  readonly answer: Answer;
  readonly fault: Fault | undefined;
  readonly turn: Turn;
  readonly said: Said;
  readonly stream: boolean;
  readonly model: string;
}

const WIRES: readonly Wire[] = [anthropic, openaiResponses, openaiChat, gemini];

export function planAnswer(asked: WireRequest, script: Script, played: Played): Plan {
  for (const wire of WIRES) {
    const ask = wire.understand(asked);
    if (ask?.kind === 'direct') return json(ask.status, ask.body, wire.name);
    if (ask) return planTurn(ask, wire, script, played);
  }
  const models = listModels(asked);
  if (models) return json(200, models);
  const error = { type: 'not_found_error', message: `No rehearsal for ${asked.path}` };
  return json(404, { type: 'error', error });
}

function planTurn(ask: Generate, wire: Wire, script: Script, played: Played): TurnPlan {
  const { stream, model, tools } = ask;
  const { turn, answer } = isOfTheLoop(tools)
    ? pickTurn(script, played, ask)
    : { turn: sideTurn(ask), answer: { kind: 'side' } as const };
  return { send: 'turn', wire, answer, fault: turn.fault, turn, said: say(turn, tools), stream, model };
}

/** Titles, summaries and probes come without tools; Codex at a terminal asks for a title with its editor alone. */
function isOfTheLoop(tools: readonly string[]): boolean {
  return tools.some((tool) => tool !== 'apply_patch');
}

function sideTurn({ answerSchema }: Generate): Turn {
  return { say: answerSchema === undefined ? 'Rehearsal' : JSON.stringify(sampleOf(answerSchema)) };
}

function json(status: number, body: unknown, wire?: WireName): JsonPlan {
  return { send: 'json', wire, answer: { kind: 'direct', status }, fault: undefined, status, body };
}

/** Some agents ask for it at their start. One list in the words of all vendors, since the path alone does not tell who asks. */
function listModels({ method, path }: WireRequest): object | undefined {
  if (method !== 'GET' || routeOf(path) !== '/models') return undefined;
  const id = 'rehearsal';
  const model = { id, type: 'model', display_name: id, object: 'model', created: 0, owned_by: id };
  return {
    object: 'list',
    data: [model],
    has_more: false,
    first_id: id,
    last_id: id,
    // Gemini's and Codex's key; neither takes the other's entries, and both do without any.
    models: [],
  };
}

/**
 * The dullest value that a JSON Schema takes, for side requests that must be answered in JSON: an agent asks again and again, for minutes, when the answer does not have the shape that it asked for.
 */
export function sampleOf(schema: unknown): unknown {
  if (!isObject(schema)) return {};
  const { enum: values, const: only, type, properties, minimum } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(values)) return values[0] as unknown;
  switch (kindOf(type)) {
    case 'object':
      return Object.fromEntries(
        Object.entries(isObject(properties) ? properties : {}).map(([key, value]) => [key, sampleOf(value)]),
      );
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

/** Gemini writes types in capitals; a list names alternatives. */
function kindOf(type: unknown): string {
  const first: unknown = Array.isArray(type) ? type[0] : type;
  return typeof first === 'string' ? first.toLowerCase() : '';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
