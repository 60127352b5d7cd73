/** Asks a scripted model over HTTP, in the format of each API. */
import { onTestFinished } from 'vitest';
import type { ApiName } from '../../src/rehearsal/api-emulators/api-emulator.ts';
import type { Script } from '../../src/rehearsal/script/script.ts';
import {
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from '../../src/rehearsal/server/server.ts';

interface Question {
  readonly stream?: boolean;
  /** The names of the tools; by default a shell tool. */
  readonly tools?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Starts a model that is closed when the test ends. */
export async function scriptedModel(script: Script, options?: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await startScriptedModel(script, options);
  onTestFinished(() => model.close());
  return model;
}

export function post(url: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(url, { method: 'POST', body: JSON.stringify(body), ...(signal && { signal }) });
}

export function ask(
  model: { readonly url: string },
  api: ApiName,
  text: string,
  { stream = false, tools = ['Bash'], signal }: Question = {},
): Promise<Response> {
  const { path, body } = questionIn(api, text, stream, tools);
  return post(`${model.url}${path}`, body, signal);
}

export const API_NAMES = ['anthropic', 'openai-responses', 'openai-chat', 'gemini'] as const satisfies ApiName[];

function questionIn(api: ApiName, text: string, stream: boolean, tools: readonly string[]) {
  const message = { role: 'user', content: text };
  switch (api) {
    case 'anthropic':
      return {
        path: '/v1/messages?beta=true',
        body: { model: 'm', stream, tools: tools.map((name) => ({ name })), messages: [message] },
      };
    case 'openai-responses':
      return {
        path: '/v1/responses',
        body: { model: 'm', stream, tools: tools.map((name) => ({ type: 'function', name })), input: [message] },
      };
    case 'openai-chat':
      return {
        path: '/v1/chat/completions',
        body: {
          model: 'm',
          stream,
          tools: tools.map((name) => ({ type: 'function', function: { name } })),
          messages: [message],
        },
      };
    case 'gemini':
      return {
        path: `/v1beta/models/m:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
        body: {
          contents: [{ role: 'user', parts: [{ text }] }],
          tools: [{ functionDeclarations: tools.map((name) => ({ name })) }],
        },
      };
  }
}

/** `any`, as from `JSON.parse`: a test reads it without checks. */
type Parsed = ReturnType<typeof JSON.parse>;

/** The data of all events; if an event has a name, it must equal its type. */
export async function eventsOf(response: Response): Promise<Parsed[]> {
  return (await response.text())
    .split('\n\n')
    .filter((event) => event !== '' && event !== 'data: [DONE]')
    .map((event): unknown => {
      const { name, data } = /^(?:event: (?<name>.*)\n)?data: (?<data>.*)$/.exec(event)?.groups ?? {};
      const parsed = JSON.parse(data ?? '') as { readonly type?: string };
      if (name !== undefined && name !== parsed.type) throw new Error(`${name} is not ${parsed.type}`);
      return parsed;
    });
}

/** A complete reply of any of the APIs, as far as it has text. */
interface WholeReply {
  readonly content?: readonly { readonly text?: string }[];
  readonly output?: readonly { readonly content?: readonly { readonly text: string }[] }[];
  readonly choices?: readonly { readonly message: { readonly content: string } }[];
  readonly candidates?: readonly { readonly content: { readonly parts: readonly { readonly text?: string }[] } }[];
}

/** The text of a complete reply. */
export async function said(asked: Promise<Response>): Promise<string> {
  const { content, output, choices, candidates } = (await (await asked).json()) as WholeReply;
  const blocks = content ?? output?.flatMap((item) => item.content ?? []) ?? candidates?.[0]?.content.parts ?? [];
  return choices?.[0]?.message.content ?? blocks.map(({ text = '' }) => text).join('');
}
