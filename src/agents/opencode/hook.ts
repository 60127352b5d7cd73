/** opencode as the host of a loop: our plugin inside opencode sends the events and acts on the answers. */
import { objectFrom } from '../reading/json-line.ts';
import { COMMANDS, type Fields, type SessionCommand, type SessionHost } from '../session/host.ts';
import type { PluginEvent, SaidAndDone } from './plugin/events.ts';

export const opencode: SessionHost = {
  name: 'opencode',
  readEvent(raw) {
    const { session, cwd } = raw;
    if (typeof session !== 'string' || typeof cwd !== 'string') return null;
    const heard = { session, cwd, transcript: null, raw };
    if (raw.hook === 'idle') {
      return { on: 'stop', words: messagesIn(raw).at(-1)?.texts.join('\n') ?? '', isFresh: true, ...heard };
    }
    const { command, arguments: args } = raw;
    if (raw.hook !== 'command' || typeof command !== 'string' || typeof args !== 'string') return null;
    if (!Object.hasOwn(COMMANDS, command)) return null;
    return { on: 'command', command: command as SessionCommand, args, ...heard };
  },
  /** Messages are identified by the time at which they were created. */
  markNow({ raw }) {
    return { transcript: null, offset: typeof raw.newest === 'number' ? raw.newest : 0 };
  },
  workSince({ raw }, mark) {
    const fresh = messagesIn(raw).filter(({ at }) => at > mark.offset);
    return {
      toolCalls: fresh.reduce((sum, { tools }) => sum + tools, 0),
      hasOutput: fresh.some(({ hasOutput }) => hasOutput),
      texts: fresh.flatMap(({ texts }) => texts),
      mark: { transcript: null, offset: fresh.at(-1)?.at ?? mark.offset },
    };
  },
  say: (_event, answer) => (answer.kind === 'nothing' ? '' : JSON.stringify(answer)),
  // opencode does not cut what a plugin sends.
  longestText: Number.MAX_SAFE_INTEGER,
  unit: 'characters',
  typing: () => ({ slash: '/', needsEsc: false }),
};

/** They should come from our plugin, but anything can call the hook. */
function messagesIn(raw: Fields): readonly SaidAndDone[] {
  const { messages } = raw as Partial<Extract<PluginEvent, { hook: 'idle' }>>;
  return Array.isArray(messages) ? messages.filter(isMessage) : [];
}

function isMessage(value: unknown): value is SaidAndDone {
  const { at, texts, tools, hasOutput } = objectFrom(value);
  const areTexts = Array.isArray(texts) && texts.every((text) => typeof text === 'string');
  return areTexts && typeof at === 'number' && typeof tools === 'number' && typeof hasOutput === 'boolean';
}
