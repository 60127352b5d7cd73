/** `tools/call`: allows or refuses a call, records it, carries it out, and answers; the model reads errors, too. */
import { RalphError } from '../core/error.ts';
import { systemFault } from '../core/system-fault.ts';
import type { Mask } from '../core/text/mask.ts';
import { type Access, isVisible, whyRefused } from './access.ts';
import type { CallRecord, Keep } from './call-record.ts';
import { clientHints } from './client-hints.ts';
import { type Id, INVALID_PARAMS, type Params, RpcError } from './json-rpc.ts';
import type { Client } from './protocol.ts';
import { shower } from './shown.ts';
import type { Tool, ToolContext } from './tool.ts';

/** What does not depend on the client. */
export interface ToolServer extends Pick<ToolContext, 'store' | 'root' | 'cwd' | 'variables' | 'self'> {
  readonly mask: Mask;
  readonly tools: readonly Tool[];
  readonly keep: Keep;
  /** Asked for every call, because a loop can begin in a session that is already open. */
  access(): Access;
}

export interface Call {
  readonly id: Id;
  readonly params: Params;
  readonly client: Client;
  readonly signal: AbortSignal;
}

const LONGEST_ERROR = 4000;
const LONGEST_NAME = 100;

export async function callTool(server: ToolServer, { id, params, client, signal }: Call): Promise<object> {
  const name = typeof params.name === 'string' ? params.name : '';
  const tool = server.tools.find((one) => one.name === name);
  const access = server.access();
  const { tier, around } = access;
  const call: Omit<CallRecord, 'outcome'> = {
    pid: process.pid,
    client,
    allow: tier,
    inside: around.is === 'none' ? null : around.is === 'loop' ? around.id : around.ids.join(' '),
    request: id,
    tool: name,
    arguments: params.arguments ?? {},
  };
  const refused = tool === undefined ? UNKNOWN : whyRefused(tool.needs, access);
  try {
    if (refused !== null) await server.keep({ ...call, outcome: 'refused', detail: refused.reason });
    // A call that cannot be recorded is not carried out.
    else if (tool?.needs !== 'read') await server.keep({ ...call, outcome: 'begun' });
  } catch (error) {
    return notRecorded(expected(error));
  }
  if (tool === undefined) throw new RpcError(INVALID_PARAMS, `Unknown tool: ${name.slice(0, LONGEST_NAME)}`);
  if (refused !== null) return toolError(`Refused: ${refused.reason}.\n${refused.hint}`);
  return carriedOut(tool, server, call, contextOf(server, access, client, signal));
}

const UNKNOWN = { reason: 'there is no such tool', hint: '' };

type Unfinished = Omit<CallRecord, 'outcome'>;

async function carriedOut(tool: Tool, { keep }: ToolServer, call: Unfinished, context: ToolContext): Promise<object> {
  const { answer, bug = null, ...end } = await attempt(tool, call.arguments, context);
  try {
    await keep({ ...call, ...end });
  } catch (error) {
    const fault = expected(error);
    if (tool.needs === 'read') return notRecorded(fault);
    // It was carried out, and the record says that it was begun.
    const note = { type: 'text', text: `Its outcome cannot be recorded: ${fault.message}` };
    return { ...answer, content: [...answer.content, note] };
  }
  if (bug !== null) throw bug;
  return answer;
}

interface Attempted extends Pick<CallRecord, 'outcome' | 'detail'> {
  readonly answer: { readonly content: readonly object[]; readonly isError: boolean };
  /** An unexpected error, which is a bug of ralph: the client gets an internal error. */
  readonly bug?: Error;
}

async function attempt(tool: Tool, given: unknown, context: ToolContext): Promise<Attempted> {
  const { signal, show } = context;
  try {
    signal.throwIfAborted();
    const { data, loop } = await tool.run(given, context);
    const answer = { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data, isError: false };
    return { answer, outcome: 'done', ...(loop === undefined ? {} : { detail: loop }) };
  } catch (error) {
    const fault = faultOf(error);
    const text = fault === null ? String(error) : [fault.message, fault.advice.hint].filter(Boolean).join('\n');
    const detail = show(context.isInside ? text : clientHints(text), LONGEST_ERROR);
    const outcome = signal.aborted ? 'cancelled' : fault?.code === 'ARGUMENTS' ? 'refused' : 'failed';
    const isBug = fault === null && !signal.aborted;
    return {
      answer: toolError(`Error: ${detail}`),
      outcome,
      detail,
      ...(isBug ? { bug: error instanceof Error ? error : new Error(text) } : {}),
    };
  }
}

function notRecorded({ message, advice }: RalphError): object {
  const hint = advice.hint === undefined ? '' : `\n${advice.hint}`;
  return toolError(`Refused: the call cannot be recorded: ${message}${hint}`);
}

function expected(error: unknown): RalphError {
  const fault = faultOf(error);
  if (fault === null) throw error;
  return fault;
}

const faultOf = (error: unknown): RalphError | null => (error instanceof RalphError ? error : systemFault(error));

function contextOf(server: ToolServer, access: Access, { name: from }: Client, signal: AbortSignal): ToolContext {
  const { store, root, cwd, variables, self, mask } = server;
  const visible = {
    ...store,
    list: async () => (await store.list()).filter((loop) => isVisible(access, loop)),
    ids: async () => (await store.ids()).filter((id) => isVisible(access, { id })),
    read: async (id: string) => (isVisible(access, { id }) ? store.read(id) : null),
  };
  const isInside = access.around.is !== 'none';
  return { store: visible, root, cwd, variables, self, mask, show: shower(mask), from, isInside, signal };
}

const toolError = (text: string) => ({ content: [{ type: 'text', text }], isError: true });
