/** A command of the loop was typed: the hook decides, and what it says goes to the model or to the person. */
import type { SessionCommand } from '../session/host.ts';
import { type Desk, isOneRun } from './desk.ts';

/** Resolves to what the model is to read. Throwing is opencode's only way to keep a command from it. */
export async function takeCommand(desk: Desk, id: string, command: SessionCommand, typed: string): Promise<string> {
  const obstacle = command.endsWith('-loop') ? await obstacleIn(desk, id) : null;
  if (obstacle !== null) {
    await desk.show(obstacle, 'error');
    throw new Error(obstacle);
  }
  const newest = (await desk.messagesOf(id)).at(-1)?.info.time.created ?? 0;
  const answer = await desk.ask({ hook: 'command', command, arguments: typed, newest }, id);
  if (answer.kind === 'tell') {
    await desk.show(answer.notice, 'info');
    return answer.context;
  }
  if (answer.kind !== 'reply') throw new Error(`ralph had no answer to /${command}`);
  await desk.show(answer.message, answer.refused ? 'error' : 'info');
  throw new Error(answer.message);
}

async function obstacleIn({ client }: Desk, id: string): Promise<string | null> {
  if (isOneRun()) return NOT_IN_A_RUN;
  const { data } = await client.session.get({ path: { id } });
  return data?.parentID === undefined ? null : NOT_IN_A_SUBAGENT;
}

const NOT_IN_A_SUBAGENT =
  'ralph: this is the session of a subagent, which ends when it has answered; type the command in the session that started it.';

const NOT_IN_A_RUN =
  'ralph: `opencode run` ends at the first stop of its agent, so no loop can go on in it. Use `ralph run` with opencode as its agent, or type the command in a session of opencode.';
