/** Decides how a request is answered. */

import { anthropic } from '../api-emulators/anthropic.ts';
import type { Generate, Wire, WireName, WireRequest } from '../api-emulators/api-emulator.ts';
import { gemini } from '../api-emulators/gemini.ts';
import { listModels } from '../api-emulators/list-models.ts';
import { openaiChat } from '../api-emulators/openai-chat.ts';
import { openaiResponses } from '../api-emulators/openai-responses.ts';
import { type Played, pickTurn } from '../script/pick-turn.ts';
import { type Said, say } from '../script/said.ts';
import { sampleOf } from '../script/sample-answer.ts';
import type { Script, Turn } from '../script/script.ts';
import type { Fault } from './fault.ts';
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
