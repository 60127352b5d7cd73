/** What the plugin works with: the hook, opencode's own requests, and the little that it remembers of each session. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { stateRoot } from '../../state/paths.ts';
import { askHook, type HookCommand } from './ask-hook.ts';
import type { Message, OpencodeContext, Toast } from './client.ts';
import type { PluginAnswer, PluginEvent } from './events.ts';

/** Sessions are named by their ids. */
export interface Desk {
  readonly client: OpencodeContext['client'];
  /** At work. */
  readonly busy: Set<string>;
  /** A loop that can go on is in it: then a file with its name lies among the sessions. */
  isLooping(session: string): boolean;
  /** A hook that fails lets everything go its way; the person is told. */
  ask(event: WithoutSession, session: string): Promise<PluginAnswer>;
  show(message: string | null, variant: Toast['variant']): Promise<void>;
  /** The newest, oldest first. */
  messagesOf(session: string): Promise<readonly Message[]>;
  /** One after another: what happens in a session is judged in the order in which it happened. */
  inTurn(session: string, work: (session: string) => Promise<void>): void;
}

type WithoutSession = PluginEvent extends infer Event
  ? Event extends PluginEvent
    ? Omit<Event, 'session' | 'cwd'>
    : never
  : never;

/** More than an agent makes between two stops; the hook takes what is new to it. */
const MESSAGES = 1000;
const TOAST_MS = 10_000;

export function deskOf({ client, directory }: OpencodeContext, hook: HookCommand): Desk {
  const queues = new Map<string, Promise<void>>();
  const show: Desk['show'] = async (message, variant) => {
    if (message === null) return;
    // It has no screen for a toast.
    if (isOneRun()) process.stderr.write(`${message}\n`);
    await client.tui.showToast({ body: { title: 'Ralph', message, variant, duration: TOAST_MS } });
  };
  return {
    client,
    show,
    busy: new Set(),
    isLooping: (id) => existsSync(join(stateRoot(process.env).path, 'sessions', basename(id))),
    async ask(event, session) {
      try {
        return await askHook(hook, { ...event, session, cwd: directory });
      } catch (error) {
        await show(`ralph: ${error instanceof Error ? error.message : String(error)}`, 'error');
        return { kind: 'nothing' };
      }
    },
    async messagesOf(id) {
      const { data } = await client.session.messages({ path: { id }, query: { limit: MESSAGES } });
      return data ?? [];
    },
    inTurn(session, work) {
      const before = queues.get(session) ?? Promise.resolve();
      const done = before.then(() => work(session)).catch((error: unknown) => show(`ralph: ${String(error)}`, 'error'));
      queues.set(session, done);
    },
  };
}

/** `opencode run …`: one turn of the agent, and it ends. */
export function isOneRun(): boolean {
  return process.argv.slice(2).find((word) => !word.startsWith('-')) === 'run';
}
