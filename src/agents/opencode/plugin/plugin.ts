/**
 * The plugin that makes a session of opencode a loop. It decides nothing: the hook does, the same as for every other agent.
 * It tells the hook when a command is typed and when the agent is idle, and acts on the answer: changes what a command
 * sends, prompts the session again, shows a toast.
 */
import { stateRoot } from '../../../state/paths.ts';
import { COMMANDS, type SessionCommand } from '../../session/host.ts';
import type { Hooks, OpencodeContext } from './client.ts';
import { type HookCommand, sessionsOf } from './sessions.ts';
import { cancelLoop, judgeStop, takeCommand } from './turns.ts';

export function ralphPlugin(hook: HookCommand): (context: OpencodeContext) => Promise<Partial<Hooks>> {
  return async (context) => {
    // Installed for the user and for the project, it is loaded twice; the first one acts.
    if (active().has(context.directory)) return {};
    active().add(context.directory);
    const sessions = sessionsOf(context, hook, stateRoot(process.env));
    return {
      event: async ({ event }) => {
        switch (event.type) {
          case 'session.status': {
            const { sessionID, status } = event.properties;
            if (status.type === 'idle') sessions.busy.delete(sessionID);
            else sessions.busy.add(sessionID);
            return;
          }
          case 'session.idle':
            sessions.inTurn(event.properties.sessionID, (id) => judgeStop(sessions, id));
            return;
          case 'session.deleted':
            sessions.inTurn(event.properties.info.id, (id) => cancelLoop(sessions, id));
        }
      },
      'command.execute.before': async ({ command, sessionID, arguments: typed }, output) => {
        if (!Object.hasOwn(COMMANDS, command)) return;
        const text = await takeCommand(sessions, sessionID, command as SessionCommand, typed);
        output.parts.splice(0, output.parts.length, { type: 'text', text });
      },
      dispose: async () => {
        active().delete(context.directory);
      },
    };
  };
}

/** Two copies of this file may be loaded, so it is kept where both see it. */
const ACTIVE = Symbol.for('ralph-harness.opencode.places');

/** The folders in which a copy acts. */
function active(): Set<string> {
  const shared = globalThis as { [ACTIVE]?: Set<string> };
  shared[ACTIVE] ??= new Set();
  return shared[ACTIVE];
}
