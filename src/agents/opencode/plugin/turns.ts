/** What the plugin does when a command is typed and when the agent stops: the hook decides, and it acts on the answer. */
import type { SessionCommand } from '../../session/host.ts';
import type { Message } from './client.ts';
import { isOneRun, type Sessions } from './sessions.ts';
import { isModels, whatTheAgentDid } from './what-the-agent-did.ts';

/** Resolves to what the model is to read. Throwing is opencode's only way to keep a command from it. */
export async function takeCommand(
  sessions: Sessions,
  id: string,
  command: SessionCommand,
  typed: string,
): Promise<string> {
  const obstacle = command.endsWith('-loop') ? await obstacleIn(sessions, id) : null;
  if (obstacle !== null) {
    await sessions.show(obstacle, 'error');
    throw new Error(obstacle);
  }
  const newest = (await sessions.messagesOf(id)).at(-1)?.info.time.created ?? 0;
  const answer = await sessions.ask({ hook: 'command', command, arguments: typed, newest }, id);
  if (answer.kind === 'tell') {
    await sessions.show(answer.notice, 'info');
    return answer.context;
  }
  if (answer.kind !== 'reply') throw new Error(`ralph had no answer to /${command}`);
  await sessions.show(answer.message, answer.refused ? 'error' : 'info');
  throw new Error(answer.message);
}

async function obstacleIn({ client }: Sessions, id: string): Promise<string | null> {
  if (isOneRun()) return NOT_IN_A_RUN;
  const { data } = await client.session.get({ path: { id } });
  return data?.parentID === undefined ? null : NOT_IN_A_SUBAGENT;
}

const NOT_IN_A_SUBAGENT =
  'ralph: this is the session of a subagent, which ends when it has answered; type the command in the session that started it.';

const NOT_IN_A_RUN =
  'ralph: `opencode run` ends at the first stop of its agent, so no loop can go on in it. Use `ralph run` with opencode as its agent, or type the command in a session of opencode.';

/** The agent has stopped: the session is prompted again unless it may. */
export async function judgeStop(sessions: Sessions, id: string): Promise<void> {
  // In a run no other prompt would be heard.
  if (!sessions.isLooping(id) || sessions.busy.has(id) || isOneRun()) return;
  const messages = await sessions.messagesOf(id);
  const last = messages.at(-1);
  // Not every abort is an event of its own, but all of them stand in the message that was broken off.
  if (last?.info.error?.name === 'MessageAbortedError') return cancelLoop(sessions, id);
  // A request that failed is no attempt to stop: asked again at once, it would fail again.
  if (last === undefined || !isModels(last) || last.info.error !== undefined) return;
  const answer = await sessions.ask({ hook: 'idle', messages: whatTheAgentDid(messages) }, id);
  if (answer.kind !== 'stop' && answer.kind !== 'go-on') return;
  await sessions.show(answer.notice, 'info');
  // With another turn under way, its end is the next to be judged.
  if (answer.kind === 'go-on' && !sessions.busy.has(id)) await goOn(sessions, id, answer.prompt, messages);
}

/** A person who breaks the agent's turn off, or deletes the session, ends the loop. */
export async function cancelLoop(sessions: Sessions, id: string): Promise<void> {
  if (!sessions.isLooping(id)) return;
  const answer = await sessions.ask({ hook: 'command', command: 'cancel-ralph', arguments: '', newest: 0 }, id);
  if (answer.kind === 'reply') await sessions.show(answer.message, 'info');
}

/** With the agent and the model that were asked before. */
async function goOn({ client, show }: Sessions, id: string, text: string, messages: readonly Message[]): Promise<void> {
  const { agent, model } = messages.findLast(({ info }) => info.role === 'user')?.info ?? {};
  const { error } = await client.session.promptAsync({
    path: { id },
    body: {
      parts: [{ type: 'text', text }],
      ...(agent === undefined ? {} : { agent }),
      ...(model === undefined ? {} : { model: { providerID: model.providerID, modelID: model.modelID } }),
      ...(model?.variant === undefined ? {} : { variant: model.variant }),
    },
  });
  if (error !== undefined) await show(`ralph: opencode did not take the prompt: ${JSON.stringify(error)}`, 'error');
}
