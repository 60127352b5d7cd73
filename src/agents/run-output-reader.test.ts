import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentEvent, CallUsage } from '../core/events.ts';
import { claudeParser } from './claude/stream.ts';
import { plainParser } from './plain/profile.ts';
import type { AgentParser } from './profile.ts';
import { type RunOutput, readRunOutput } from './run-output-reader.ts';

const DONE = '<response>DONE</response>';

function listen(
  parser: AgentParser,
  output: string | readonly Buffer[],
  given: { prompt?: string; multiline?: boolean; watches?: boolean } = {},
): RunOutput & { events: AgentEvent[] } {
  const { prompt = '', multiline = false, watches = true } = given;
  const events: AgentEvent[] = [];
  const reader = readRunOutput(parser, { tag: 'response', multiline }, prompt, {
    watches,
    show: (event) => events.push(event),
  });
  for (const chunk of typeof output === 'string' ? [Buffer.from(output)] : output) reader.push(chunk);
  return { ...reader.end(), events };
}

function lines(...values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

function says(text: string): object {
  return { type: 'assistant', message: { content: [{ type: 'text', text }] } };
}

describe('a stream with structure', () => {
  test("is heard in the agent's own words", () => {
    const { said } = listen(claudeParser(), lines(says('Working.'), says(`All good. ${DONE}`)));
    expect(said).toEqual({ tag: 'DONE', firstLine: 'Working.' });
  });

  test('has last words: those of its closing account, or else what was said last', () => {
    const account = { type: 'result', subtype: 'success', is_error: false, result: ' the result\n' };
    expect(listen(claudeParser(), lines(says('first'), says('last'), account)).words).toBe('the result');
    expect(listen(claudeParser(), `${lines(says('first'), says('last\n'))}{"type":`).words).toBe('last');
    expect(listen(claudeParser(), 'no JSON\n').words).toBeNull();
    expect(listen(plainParser(), 'said\n').words).toBeNull();
  });

  test.each<[string, object]>([
    [
      "a tool's result",
      { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: DONE }] } },
    ],
    [
      "a tool's input",
      {
        type: 'assistant',
        message: { content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: `echo ${DONE}` } }] },
      },
    ],
    ["a hook's words", { type: 'user', isSynthetic: true, message: { content: [{ type: 'text', text: DONE }] } }],
    ["the session's beginning", { type: 'system', subtype: 'init', prompt: DONE }],
    ['an unknown line', { type: 'echo', text: DONE }],
  ])('is not heard in %s', (_where, line) => {
    expect(listen(claudeParser(), lines(says('Hm.'), line)).said.tag).toBeNull();
  });

  test('is heard although it says what the prompt said: there is no echo in it', () => {
    expect(listen(claudeParser(), lines(says(DONE)), { prompt: DONE }).said.tag).toBe('DONE');
  });

  test('does not hear a tag that reaches from one text into the next', () => {
    expect(listen(claudeParser(), lines(says('<response>DO'), says('NE</response>'))).said.tag).toBeNull();
  });

  test('gives its closing account without the length of its words', () => {
    const { account } = listen(
      claudeParser(),
      lines({ type: 'result', is_error: false, result: 'x'.repeat(5000), duration_ms: 7 }),
    );
    expect(account).toEqual({ isError: false, text: 'x'.repeat(2000), durationMs: 7 });
  });

  test('may be cut off: the last line needs no end, and a missing account is reported', () => {
    const whole = lines(says(DONE), { type: 'result', is_error: false, result: 'x' }).trimEnd();
    expect(listen(claudeParser(), whole)).toMatchObject({
      said: { tag: 'DONE' },
      account: { text: 'x' },
      brokeOff: false,
    });
    const cut = whole.slice(0, -20);
    expect(listen(claudeParser(), cut)).toMatchObject({ said: { tag: 'DONE' }, account: null, brokeOff: true });
  });

  test('that never began has not broken off', () => {
    expect(listen(claudeParser(), 'command not found\n')).toMatchObject({ account: null, brokeOff: false });
    expect(listen(claudeParser(), '')).toMatchObject({ brokeOff: false });
  });
});

describe('plain text', () => {
  const prompt = `Do the work.\nWhen all is done say ${DONE}.`;

  test('is heard line by line, and its first words are known', () => {
    expect(listen(plainParser(), `\n  \n  Well then. \n${DONE}\n`).said).toEqual({
      tag: 'DONE',
      firstLine: 'Well then.',
      last: `Well then. \n${DONE}`,
    });
  });

  test('its last words are known, also where it is not shown; one line is enough said', () => {
    const text = ['First.\n', 'between\n'.repeat(500), 'Last.\n'].map((part) => Buffer.from(part));
    const last = expect.stringMatching(/^[^F]{400,600}\nLast\.$/);
    expect(listen(plainParser(), text).said.last).toEqual(last);
    expect(listen(plainParser(), text, { watches: false }).said.last).toEqual(last);
    expect(listen(plainParser(), 'Only.\n').said).toEqual({ tag: null, firstLine: 'Only.' });
  });

  test("is not heard in the prompt's echo", () => {
    expect(listen(plainParser(), `> ${prompt}\nWorking.\n`, { prompt }).said).toMatchObject({ tag: null });
    expect(listen(plainParser(), `$ agent ${DONE}\nWorking.\n`, { prompt: DONE }).said.tag).toBeNull();
  });

  test('is heard when the agent says it beside the echo', () => {
    expect(listen(plainParser(), `${prompt}\nWorking.\n${DONE}`, { prompt }).said.tag).toBe('DONE');
  });

  test('is shown as it is, echo and all', () => {
    const { events } = listen(plainParser(), `${prompt}\nok\n`, { prompt });
    expect(events.map((event) => event.type === 'text' && event.text)).toEqual([...prompt.split('\n'), 'ok']);
  });

  test('may say several lines in one tag where that is asked for', () => {
    const output = 'Here:\n<response>Add x\n\nIt was missing.</response>\n';
    expect(listen(plainParser(), output, { multiline: true }).said.tag).toBe('Add x\n\nIt was missing.');
    expect(listen(plainParser(), output).said.tag).toBeNull();
  });
});

test('a line beyond all limits is reported once, by its beginning, and what follows is heard', () => {
  const block = Buffer.alloc(1024 * 1024, 'x');
  const output = [...Array.from({ length: 33 }, () => block), Buffer.from(`\n${lines(says(DONE))}`)];
  const { said, events } = listen(claudeParser(), output);
  expect(said.tag).toBe('DONE');
  expect(events).toEqual([
    { type: 'unknown', raw: 'x'.repeat(1000) },
    { type: 'text', text: DONE },
  ]);
});

test('usage is reported during the run: each call counts once, with its latest figures', () => {
  const call = fc.record({ id: fc.constantFrom('a', 'b', 'c'), input: fc.nat(1000), output: fc.nat(1000) });
  fc.assert(
    fc.property(fc.array(call, { minLength: 1 }), (calls) => {
      const told: CallUsage[] = [];
      const reader = readRunOutput(claudeParser(), { tag: 'response', multiline: false }, '', {
        watches: false,
        show: () => undefined,
        used: (usage) => told.push(usage),
      });
      for (const { id, input, output } of calls) {
        const message = { id, content: [], usage: { input_tokens: input, output_tokens: output } };
        reader.push(Buffer.from(lines({ type: 'assistant', message })));
      }
      const last = [...new Map(calls.map((each) => [each.id, each])).values()];
      const sum = (of: 'input' | 'output') => last.reduce((total, each) => total + each[of], 0);
      expect(told).toHaveLength(calls.length);
      expect(told.at(-1)).toEqual({ inputTokens: sum('input'), outputTokens: sum('output') });
      expect(reader.end().calls).toHaveLength(last.length);
    }),
  );
});

test('however the output is cut into chunks, the same is heard', () => {
  const output = Buffer.from(
    lines(says('Grüße 😀\u2028'), says(`nun ${DONE}`), { type: 'result', is_error: false, result: 'ü' }),
  );
  const whole = listen(claudeParser(), [output]);
  fc.assert(
    fc.property(fc.array(fc.nat(output.length)), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), output.length];
      const chunks = at.slice(1).map((end, index) => output.subarray(at[index], end));
      expect(listen(claudeParser(), chunks)).toEqual(whole);
    }),
  );
});

describe('what keeps the agent from its work', () => {
  const retry = { type: 'system', subtype: 'api_retry', attempt: 1, error_status: 529, error: 'overloaded' };
  const refused = { type: 'result', is_error: true, api_error_status: 401, result: 'no' };

  test('is known until it speaks or works again', () => {
    expect(listen(claudeParser(), lines(retry)).fault).toMatchObject({ kind: 'infrastructure' });
    expect(listen(claudeParser(), lines(retry, says('On I go.'))).fault).toBeNull();
  });

  test('is the gravest of what it told, in whatever order that is read', () => {
    expect(listen(claudeParser(), lines(retry, refused)).fault).toMatchObject({ kind: 'auth' });
    expect(listen(claudeParser(), lines(refused, retry)).fault).toMatchObject({ kind: 'auth' });
  });
});
