/** No agent output is trusted: whatever a line's fields hold, it never stops the reader. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { AGENTS } from './index.ts';

const TYPES = [
  'assistant.message tool.execution_start tool.execution_complete model.call_failure session.error abort result',
  'message_end tool_execution_start tool_execution_end auto_retry_start agent_end compaction_end',
  'assistant user system error turn.failed item.completed tool_use text',
].flatMap(words);
const FIELDS = [
  'data message result error usage content args part item permission_denials exitCode is_error subtype',
  'errorMessage attempt delayMs role stopReason agentId cost',
].flatMap(words);
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(fc.constantFrom(...FIELDS, 'text', 'type', 'name', 'id'), fc.jsonValue({ maxDepth: 3 })),
  fc.constantFrom('[API Error: 429 x]', 'assistant', 'text', 'error', '429: {"message":7}', '{'),
);
const line = fc.tuple(fc.constantFrom(...TYPES), fc.dictionary(fc.constantFrom(...FIELDS), value));

test.each(AGENTS)('$title', (adapter) => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), fc.string(), (lines, plain) => {
      const parser = adapter.parser({ command: adapter.name, flags: [], mode: 'stream' });
      const events = [
        ...lines.flatMap(([type, fields]) => parser.parse(JSON.stringify({ type, ...fields }))),
        ...parser.parse(plain),
        ...(parser.parseStderr?.(plain) ?? []),
        ...(parser.end?.() ?? []),
      ];
      for (const event of events) expect(event.type).toBeTypeOf('string');
    }),
    { numRuns: 500 },
  );
});

function words(text: string): string[] {
  return text.split(' ');
}
