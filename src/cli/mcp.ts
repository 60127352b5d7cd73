/** `ralph mcp`: lets an MCP client, such as an agent, see the loops of this machine, and steer them if allowed. */
import { version } from '../../package.json';
import { loopAround } from '../engine/own-loop.ts';
import { isReadable } from '../engine/store/loop-store.ts';
import type { Tier } from '../mcp/access.ts';
import { callRecorder } from '../mcp/call-record.ts';
import { hiddenState } from '../mcp/hidden-state.ts';
import { serve } from '../mcp/server.ts';
import { loopOfSession } from '../mcp/session-loop.ts';
import { TOOLS } from '../mcp/tools/index.ts';
import { printable } from '../stream/printable.ts';
import { loopsContext } from './loops/context.ts';
import { self } from './program/self.ts';

export interface McpFlags {
  readonly allow: Tier;
}

export async function mcpCommand({ allow: tier }: McpFlags): Promise<number> {
  const { environment, store, cwd } = loopsContext();
  const { root, variables, mask } = environment;
  const { stdin: input, stdout: output, stderr } = process;
  const warn = (text: string): void => void stderr.write(`${mask(printable(text))}\n`);
  if (input.isTTY) warn('ralph mcp is started by an MCP client, for example: claude mcp add ralph -- ralph mcp');
  // Before any request is read, so that the process that started us has no time to hide.
  const unfinished = (await store.list()).filter((loop) => isReadable(loop) && loop.ending === null);
  const around = loopAround(root, variables, unfinished);
  const access = () => ({ tier, around: around.is === 'none' ? loopOfSession(root, variables) : around });
  const hidden = hiddenState(root, around);
  if (hidden !== null) warn(`warning: every call will be refused, because it cannot be recorded: ${hidden.message}`);
  const keep = hidden === null ? callRecorder(root, mask) : () => Promise.reject(hidden);
  const server = { store, root, cwd, variables, mask, self: self(), tools: TOOLS, keep, access };
  await serve(server, { input, output, warn, release: version });
  return 0;
}
