/**
 * Writes stream-json transcripts as Claude Code prints them; two thirds of the bytes are the assistant's. A call of the
 * model has two lines, text and tool, and each of them reports what the call has used.
 */
import { closeSync, openSync, writeSync } from 'node:fs';

const WORDS = 'The splitter keeps bytes – größer, 日本語, Ελληνικά, 🙂 – whole "across" borders.\n\tand so on; ';
const LONG_LINE_BYTES = 1_000_000;

/** `longLines` of the lines have a megabyte each. None of them contains a completion response. */
export function writeTranscript(path, { lines, lineBytes, longLines = 0 }) {
  const file = openSync(path, 'w');
  const longEvery = longLines === 0 ? Number.POSITIVE_INFINITY : Math.floor(lines / (longLines + 1));
  writeLine(file, { type: 'system', subtype: 'init', session_id: 'bench', tools: ['Bash', 'Read', 'Write'] });
  for (let i = 1; i < lines - 1; i++) {
    writeLine(file, turn(i, text(i % longEvery === 0 ? LONG_LINE_BYTES : lineBytes, i)));
  }
  writeLine(file, {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'Not there yet.',
    duration_ms: 1000,
    total_cost_usd: 0.01,
    usage: { input_tokens: 1000, output_tokens: 100 },
  });
  closeSync(file);
}

function turn(index, content) {
  const call = Math.floor(index / 3);
  const id = `toolu_${call}`;
  switch (index % 3) {
    case 0:
      return fromModel(call, { type: 'text', text: content });
    case 1:
      return fromModel(call, { type: 'tool_use', id, name: 'Write', input: { file_path: 'src/a.ts', content } });
    default:
      return message('user', { content: [{ type: 'tool_result', tool_use_id: id, content }] });
  }
}

function fromModel(call, block) {
  const usage = { input_tokens: 3, cache_read_input_tokens: 20_000 + call, output_tokens: 200 };
  return message('assistant', { id: `msg_${call}`, model: 'claude-sonnet-5-5', content: [block], usage });
}

function message(role, more) {
  return { type: role, message: { role, ...more }, session_id: 'bench' };
}

/** Begins with a different character each time, so that chunk borders fall into characters of every length. */
function text(bytes, shift) {
  const begun = WORDS.slice(shift % 20);
  return begun.repeat(Math.ceil(bytes / Buffer.byteLength(begun)));
}

function writeLine(file, line) {
  writeSync(file, `${JSON.stringify(line)}\n`);
}
