/**
 * The plugin that makes a session of opencode a loop. It decides nothing: the hook does, the same as for every other agent.
 * It tells the hook when a command is typed and when the agent is idle, and does what it is told: changes what a command
 * sends, prompts the session again, shows a toast.
 */
import type { HookCommand } from './ask-hook.ts';
import type { Hooks, OpencodeContext } from './client.ts';
import { deskOf } from './desk.ts';
import { SESSION_COMMANDS } from './events.ts';
import { cancelLoop, judgeStop } from './judge-stop.ts';
import { takeCommand } from './take-command.ts';

export function ralphPlugin(hook: HookCommand): (context: OpencodeContext) => Promise<Partial<Hooks>> {
  return async (context) => {
    // Installed for the user and for the project, it is loaded twice; the first one acts.
    if (!takePlace(context.directory)) return {};
    const desk = deskOf(context, hook);
    return {
      event: async ({ event }) => {
        switch (event.type) {
          case 'session.status': {
            const { sessionID, status } = event.properties;
            if (status.type === 'idle') desk.busy.delete(sessionID);
            else desk.busy.add(sessionID);
            return;
          }
          case 'session.idle':
            desk.inTurn(event.properties.sessionID, (id) => judgeStop(desk, id));
            return;
          case 'session.deleted':
            desk.inTurn(event.properties.info.id, (id) => cancelLoop(desk, id));
        }
      },
      'command.execute.before': async (input, output) => {
        const command = SESSION_COMMANDS.find((known) => known === input.command);
        if (command === undefined) return;
        const text = await takeCommand(desk, input.sessionID, command, input.arguments);
        output.parts.splice(0, output.parts.length, { type: 'text', text });
      },
      dispose: async () => {
        places().delete(context.directory);
      },
    };
  };
}

/** Two copies of this file may be loaded, so it is kept where both see it. */
const PLACES = Symbol.for('ralph-harness.opencode.places');

function takePlace(directory: string): boolean {
  const isFree = !places().has(directory);
  places().add(directory);
  return isFree;
}

function places(): Set<string> {
  const shared = globalThis as { [PLACES]?: Set<string> };
  const taken = shared[PLACES] ?? new Set();
  shared[PLACES] = taken;
  return taken;
}
