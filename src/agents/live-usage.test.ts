/** Some agents report what a call used while they work, each call once by its id; others report only at the end. */
import { expect, test } from 'vitest';
import { recordedStreams } from '../../test/support/recorded/streams.ts';
import type { AgentEvent } from '../core/events.ts';
import { profileFor } from './index.ts';

type Usage = Extract<AgentEvent, { type: 'usage' }>;

function eventsOf(command: string, lines: readonly string[]): AgentEvent[] {
  const parser = profileFor(command).parser({ command, flags: [], mode: 'stream' });
  return lines.flatMap((line) => parser.parse(line));
}

/** The last usage reported for each call. */
function calls(events: readonly AgentEvent[]): Usage[] {
  const byId = new Map<string, Usage>();
  for (const event of events) if (event.type === 'usage') byId.set(event.id, event);
  return [...byId.values()];
}

test('two lines of one message are one call', () => {
  const usage = { input_tokens: 10, output_tokens: 3, cache_read_input_tokens: 5 };
  const line = (id: string, text: string) =>
    JSON.stringify({ type: 'assistant', message: { id, content: [{ type: 'text', text }], usage } });
  const events = eventsOf('claude', [line('m1', 'a'), line('m1', 'b'), line('m2', 'c')]);
  expect(calls(events)).toEqual(
    ['m1', 'm2'].map((id) => ({ type: 'usage', id, inputTokens: 15, outputTokens: 3, cacheReadTokens: 5 })),
  );
});

test('a call without figures tells none', () => {
  const line = JSON.stringify({ type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text: 'a' }] } });
  expect(eventsOf('claude', [line])).toEqual([{ type: 'text', text: 'a' }]);
});

test('what real agents told on the way is no more than what they told in the end', () => {
  const runs = recordedStreams()
    .filter(({ run }) => !run.includes('-message-'))
    .map(({ agent, run, stdout }) => {
      const events = eventsOf(agent, stdout.toString('utf8').split('\n'));
      const onTheWay = calls(events).reduce((sum, { outputTokens = 0 }) => sum + outputTokens, 0);
      const [end] = events.flatMap((event) => (event.type === 'result' ? [event.outputTokens ?? 0] : []));
      return { agent, run, onTheWay, inTheEnd: end ?? Number.POSITIVE_INFINITY };
    });
  expect(runs.filter(({ onTheWay, inTheEnd }) => onTheWay > inTheEnd)).toEqual([]);
  const telling = new Set(runs.filter(({ onTheWay }) => onTheWay > 0).map(({ agent }) => agent));
  expect(telling).toContain('claude');
});
