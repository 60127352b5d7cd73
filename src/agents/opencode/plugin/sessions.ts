/** What the plugin works with: the hook, opencode's own requests, and the little that it remembers of each session. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { StateRoot } from '../../../state/paths.ts';
import { HOOK_SECONDS, type SessionAnswer } from '../../session/host.ts';
import type { Message, OpencodeContext, Toast } from './client.ts';
import type { PluginEvent } from './events.ts';

export type HookCommand = readonly [node: string, ...args: string[]];

type WithoutSession<Event> = Event extends PluginEvent ? Omit<Event, 'session' | 'cwd'> : never;

/** Sessions are named by their ids. */
export type Sessions = ReturnType<typeof sessionsOf>;

/** More than an agent makes between two stops; the hook takes what is new to it. */
const MESSAGES = 1000;
const TOAST_MS = 10_000;
const LONGEST_COMPLAINT = 500;

export function sessionsOf({ client, directory }: OpencodeContext, hook: HookCommand, root: StateRoot) {
  const queues = new Map<string, Promise<void>>();
  const show = async (message: string | null, variant: Toast['variant']): Promise<void> => {
    if (message === null) return;
    // It has no screen for a toast.
    if (isOneRun()) process.stderr.write(`${message}\n`);
    await client.tui.showToast({ body: { title: 'Ralph', message, variant, duration: TOAST_MS } });
  };
  return {
    client,
    show,
    /** Those at work. */
    busy: new Set<string>(),
    /** A loop that can go on is in it: then a file with its name lies among the sessions. */
    isLooping: (id: string): boolean => existsSync(join(root.path, 'sessions', basename(id))),
    /** A hook that fails stops nothing; the user sees a message. */
    async ask(event: WithoutSession<PluginEvent>, session: string): Promise<SessionAnswer> {
      try {
        return await askHook(hook, { ...event, session, cwd: directory });
      } catch (error) {
        await show(`ralph: ${error instanceof Error ? error.message : String(error)}`, 'error');
        return { kind: 'nothing' };
      }
    },
    /** The newest, oldest first. */
    async messagesOf(id: string): Promise<readonly Message[]> {
      const { data } = await client.session.messages({ path: { id }, query: { limit: MESSAGES } });
      return data ?? [];
    },
    /** One after another: what happens in a session is judged in the order in which it happened. */
    inTurn(session: string, work: (session: string) => Promise<void>): void {
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

/** Hands one event to the hook, a node program, and resolves to its answer. */
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
      // A hook that ends without reading its input is judged by its exit.
    });
    child.stdin.end(JSON.stringify(event));
  });
}
