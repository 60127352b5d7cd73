/**
 * The plugin that runs a loop in an opencode session. It decides nothing: the hook does, as for every other agent. It
 * tells the hook when a command is typed and when the agent is idle, and acts on the answer: changes what a command
 * sends, prompts the session again, shows a toast.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { stateRoot } from '../../../state/paths.ts';
import { COMMANDS, HOOK_SECONDS, type SessionAnswer, type SessionCommand } from '../../session/host.ts';
import type { Hooks, Message, OpencodeContext, Toast } from './client.ts';
import { type Happening, isModels, type PluginEvent, whatTheAgentDid } from './events.ts';

type HookCommand = readonly [node: string, ...args: string[]];

/** More than an agent writes between two stops; the hook picks out the new ones. */
const MESSAGES = 1000;
const TOAST_MS = 10_000;
const LONGEST_COMPLAINT = 500;

export function ralphPlugin(hook: HookCommand): (context: OpencodeContext) => Promise<Partial<Hooks>> {
  return async (context) => {
    // If it is installed for the user and for the project, it is loaded twice; only the first one acts.
    if (active().has(context.directory)) return {};
    active().add(context.directory);
    return { ...hooksIn(context, hook), dispose: async () => void active().delete(context.directory) };
  };
}

/** Two copies of this file may be loaded, so this is kept in a place that both share. */
const ACTIVE = Symbol.for('ralph-harness.opencode.places');

function active(): Set<string> {
  const shared = globalThis as { [ACTIVE]?: Set<string> };
  shared[ACTIVE] ??= new Set();
  return shared[ACTIVE];
}

function hooksIn({ client, directory }: OpencodeContext, hook: HookCommand): Omit<Hooks, 'dispose'> {
  const root = stateRoot(process.env);
  const busy = new Set<string>();
  const queues = new Map<string, Promise<void>>();

  const show = async (message: string | null, variant: Toast['variant']): Promise<void> => {
    if (message === null) return;
    // `opencode run` has no screen for a toast.
    if (isOneRun()) process.stderr.write(`${message}\n`);
    await client.tui.showToast({ body: { title: 'Ralph', message, variant, duration: TOAST_MS } });
  };
  /** Whether the session has a loop that can continue: then there is a file with its name in `sessions`. */
  const isLooping = (id: string): boolean => existsSync(join(root.path, 'sessions', basename(id)));
  /** If the hook fails, the user sees a message, and everything continues. */
  const ask = async (event: Happening, session: string): Promise<SessionAnswer> => {
    try {
      return await askHook(hook, { ...event, session, cwd: directory });
    } catch (error) {
      await show(`ralph: ${error instanceof Error ? error.message : String(error)}`, 'error');
      return { kind: 'nothing' };
    }
  };
  /** The newest messages, in order of time. */
  const messagesOf = async (id: string): Promise<readonly Message[]> => {
    const { data } = await client.session.messages({ path: { id }, query: { limit: MESSAGES } });
    return data ?? [];
  };
  /** Handles a session's events one at a time, in their order. */
  const inTurn = (session: string, work: (session: string) => Promise<void>): void => {
    const before = queues.get(session) ?? Promise.resolve();
    const done = before.then(() => work(session)).catch((error: unknown) => show(`ralph: ${String(error)}`, 'error'));
    queues.set(session, done);
  };

  const obstacleIn = async (id: string): Promise<string | null> => {
    if (isOneRun()) return NOT_IN_A_RUN;
    const { data } = await client.session.get({ path: { id } });
    return data?.parentID === undefined ? null : NOT_IN_A_SUBAGENT;
  };
  /** Resolves to what the model should read. Throwing is the only way to keep a command from opencode's model. */
  const takeCommand = async (id: string, command: SessionCommand, typed: string): Promise<string> => {
    const obstacle = command.endsWith('-loop') ? await obstacleIn(id) : null;
    if (obstacle !== null) {
      await show(obstacle, 'error');
      throw new Error(obstacle);
    }
    const newest = (await messagesOf(id)).at(-1)?.info.time.created ?? 0;
    const answer = await ask({ hook: 'command', command, arguments: typed, newest }, id);
    if (answer.kind === 'tell') {
      await show(answer.notice, 'info');
      return answer.context;
    }
    if (answer.kind !== 'reply') throw new Error(`ralph had no answer to /${command}`);
    await show(answer.message, answer.refused ? 'error' : 'info');
    throw new Error(answer.message);
  };
  /** If a person interrupts the agent's turn or deletes the session, the loop ends. */
  const cancelLoop = async (id: string): Promise<void> => {
    if (!isLooping(id)) return;
    const answer = await ask({ hook: 'command', command: 'cancel-ralph', arguments: '', newest: 0 }, id);
    if (answer.kind === 'reply') await show(answer.message, 'info');
  };
  /** The agent has stopped: asks the hook, which may prompt the session again. */
  const judgeStop = async (id: string): Promise<void> => {
    // `opencode run` would ignore another prompt.
    if (!isLooping(id) || busy.has(id) || isOneRun()) return;
    const messages = await messagesOf(id);
    const last = messages.at(-1);
    // Not every abort has its own event, but each is recorded in the interrupted message.
    if (last?.info.error?.name === 'MessageAbortedError') return cancelLoop(id);
    // A failed request is not an attempt to stop; repeated at once, it would fail again.
    if (last === undefined || !isModels(last) || last.info.error !== undefined) return;
    const answer = await ask({ hook: 'idle', messages: whatTheAgentDid(messages) }, id);
    if (answer.kind !== 'stop' && answer.kind !== 'go-on') return;
    await show(answer.notice, 'info');
    // If another turn has begun, its end is judged next.
    if (answer.kind === 'go-on' && !busy.has(id)) await goOn(id, answer.prompt, messages);
  };
  /** Uses the agent and the model of the last user message. */
  const goOn = async (id: string, text: string, messages: readonly Message[]): Promise<void> => {
    const { agent, model } = messages.findLast(({ info }) => info.role === 'user')?.info ?? {};
    const { error } = await client.session.promptAsync({
      path: { id },
      body: {
        parts: [{ type: 'text', text }],
        ...(agent !== undefined && { agent }),
        ...(model && { model: { providerID: model.providerID, modelID: model.modelID } }),
        ...(model?.variant !== undefined && { variant: model.variant }),
      },
    });
    if (error !== undefined) await show(`ralph: opencode did not take the prompt: ${JSON.stringify(error)}`, 'error');
  };

  return {
    async event({ event }) {
      switch (event.type) {
        case 'session.status':
          if (event.properties.status.type === 'idle') busy.delete(event.properties.sessionID);
          else busy.add(event.properties.sessionID);
          return;
        case 'session.idle':
          inTurn(event.properties.sessionID, judgeStop);
          return;
        case 'session.deleted':
          inTurn(event.properties.info.id, cancelLoop);
      }
    },
    async 'command.execute.before'({ command, sessionID, arguments: typed }, output) {
      if (!Object.hasOwn(COMMANDS, command)) return;
      const text = await takeCommand(sessionID, command as SessionCommand, typed);
      output.parts.splice(0, output.parts.length, { type: 'text', text });
    },
  };
}

const NOT_IN_A_SUBAGENT =
  'ralph: this is the session of a subagent, which ends when it has answered; type the command in the session that started it.';

const NOT_IN_A_RUN =
  'ralph: `opencode run` ends at the first stop of its agent, so a loop cannot continue in it. Use `ralph run` with opencode as its agent, or type the command in a session of opencode.';

/** `opencode run …` ends after one turn of the agent. */
function isOneRun(): boolean {
  return process.argv.slice(2).find((word) => !word.startsWith('-')) === 'run';
}

function askHook([node, ...args]: HookCommand, event: PluginEvent): Promise<SessionAnswer> {
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { cwd: event.cwd, stdio: 'pipe', timeout: HOOK_SECONDS * 1000 });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      try {
        if (code !== 0)
          throw new Error(`the hook failed: ${stderr.trim().slice(0, LONGEST_COMPLAINT) || (code ?? signal)}`);
        resolve(stdout.trim() === '' ? { kind: 'nothing' } : (JSON.parse(stdout) as SessionAnswer));
      } catch (error) {
        reject(error);
      }
    });
    child.stdin.on('error', () => {
      // If the hook exits without reading its input, its exit code decides.
    });
    child.stdin.end(JSON.stringify(event));
  });
}
