/** The agent has stopped: the hook decides whether it may, and the session is prompted again if not. */
import type { Message } from './client.ts';
import { type Desk, isOneRun } from './desk.ts';
import { isModels, whatTheAgentDid } from './what-the-agent-did.ts';

export async function judgeStop(desk: Desk, id: string): Promise<void> {
  // Nobody would hear another prompt.
  if (!desk.isLooping(id) || desk.busy.has(id) || isOneRun()) return;
  const messages = await desk.messagesOf(id);
  const last = messages.at(-1);
  // Not every abort is an event of its own, but all of them stand in the message that was broken off.
  if (last?.info.error?.name === 'MessageAbortedError') return cancelLoop(desk, id);
  // A request that failed is no attempt to stop: asked again at once, it would fail again.
  if (last === undefined || !isModels(last) || last.info.error !== undefined) return;
  const answer = await desk.ask({ hook: 'idle', messages: whatTheAgentDid(messages) }, id);
  if (answer.kind !== 'stop' && answer.kind !== 'go-on') return;
  await desk.show(answer.notice, 'info');
  if (answer.kind === 'stop') return;
  // Somebody was faster: the end of that turn is the next to be judged.
  if (!desk.busy.has(id)) await goOn(desk, id, answer.prompt, messages);
}

/** Whoever breaks the agent's turn off, or deletes the session, ends the loop. */
export async function cancelLoop(desk: Desk, id: string): Promise<void> {
  if (!desk.isLooping(id)) return;
  const answer = await desk.ask({ hook: 'command', command: 'cancel-ralph', arguments: '', newest: 0 }, id);
  if (answer.kind === 'reply') await desk.show(answer.message, 'info');
}

/** With the agent and the model that were asked before. */
async function goOn({ client, show }: Desk, id: string, text: string, messages: readonly Message[]): Promise<void> {
  const asked = messages.findLast(({ info }) => info.role === 'user')?.info;
  const { agent, model } = asked ?? {};
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
