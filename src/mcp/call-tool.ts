/** `tools/call`: a call is allowed or refused, carried out, recorded, and answered; the model reads what goes wrong. */
import { RalphError } from '../core/error.ts';
import { systemFault } from '../core/system-fault.ts';
import type { Mask } from '../core/text/mask.ts';
import { type Access, isVisible, whyRefused } from './access.ts';
import type { CallRecord, Keep } from './call-record.ts';
import { clientHints } from './client-hints.ts';
import { type Id, INVALID_PARAMS, type Params, RpcError } from './json-rpc.ts';
import type { Client } from './protocol.ts';
import { shower } from './shown.ts';
import type { Tool, ToolContext, ToolResult } from './tool.ts';

/** What the server is, whichever client calls. */
export interface ToolServer extends Pick<ToolContext, 'store' | 'root' | 'cwd' | 'variables' | 'self'> {
  readonly mask: Mask;
  readonly tools: readonly Tool[];
  readonly keep: Keep;
  /** Asked for every call: a loop can begin around a session that has long been open. */
  access(): Access;
}

export interface Call {
  readonly id: Id;
  readonly params: Params;
  readonly client: Client;
  readonly signal: AbortSignal;
}

const LONGEST_ERROR = 4000;

export async function callTool(server: ToolServer, { id, params, client, signal }: Call): Promise<object> {
  const { name, arguments: given } = params;
  const tool = server.tools.find((one) => one.name === name);
  const access = server.access();
  const { tier, around } = access;
  const call: Omit<CallRecord, 'outcome'> = {
    pid: process.pid,
    client,
    allow: tier,
    inside: around.is === 'none' ? null : around.is === 'loop' ? around.id : around.ids.join(' '),
    request: id,
    tool: String(name),
    arguments: given ?? {},
  };
  if (tool === undefined) {
    await server.keep({ ...call, outcome: 'refused', detail: 'there is no such tool' });
    throw new RpcError(INVALID_PARAMS, `Unknown tool: ${String(name)}`);
  }
  const refused = whyRefused(tool.needs, access);
  try {
    if (refused !== null) {
      await server.keep({ ...call, outcome: 'refused', detail: refused.reason });
      return toolError(`Refused: ${refused.reason}.\n${refused.hint}`);
    }
    // What cannot be recorded is not done.
    if (tool.needs !== 'read') await server.keep({ ...call, outcome: 'begun' });
    return await carriedOut(tool, server, call, contextOf(server, access, client, signal));
  } catch (error) {
    const fault = faultOf(error);
    if (fault === null) throw error;
    return toolError(`Refused: the call cannot be recorded: ${fault.message}`);
  }
}

type Unfinished = Omit<CallRecord, 'outcome'>;

async function carriedOut(tool: Tool, { keep }: ToolServer, call: Unfinished, context: ToolContext): Promise<object> {
  const { signal, show } = context;
  let result: ToolResult;
  try {
    signal.throwIfAborted();
    result = await tool.run(call.arguments, context);
  } catch (error) {
    const fault = faultOf(error);
    const text = fault === null ? String(error) : [fault.message, fault.advice.hint].filter(Boolean).join('\n');
    const detail = show(context.isInside ? text : clientHints(text), LONGEST_ERROR);
    const outcome = signal.aborted ? 'cancelled' : fault?.code === 'ARGUMENTS' ? 'refused' : 'failed';
    await keep({ ...call, outcome, detail });
    // A bug, unless it was broken off: the connection says so.
    if (fault === null && !signal.aborted) throw error;
    return toolError(`Error: ${detail}`);
  }
  const { data, loop } = result;
  await keep({ ...call, outcome: 'done', ...(loop === undefined ? {} : { detail: loop }) });
  return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data, isError: false };
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

const toolError = (text: string): object => ({ content: [{ type: 'text', text }], isError: true });
