/** Prints what Claude Code does: stream-json line by line, or in text mode only its last words. */
import { writeSync } from 'node:fs';
import { log } from './witness.mjs';
import { inWordsOf } from './words.mjs';

/** `words`: how the harness wants the agent to say that it is done, or blocked. */
export function speaker(isStream, words) {
  let calls = 0;
  let last = '';
  let hasEnded = false;
  const print = (text) => {
    try {
      writeSync(1, inWordsOf(words, text));
    } catch (error) {
      log('not printed', { code: error.code });
    }
  };
  let hasBegun = false;
  const tell = (line) => {
    if (!isStream) return;
    if (!hasBegun) print(`${JSON.stringify({ type: 'system', subtype: 'init', session_id: 'loopbench' })}\n`);
    hasBegun = true;
    print(`${JSON.stringify(line)}\n`);
  };
  const assistant = (content, tokens) => {
    const usage = tokens === undefined ? {} : { usage: { input_tokens: tokens, output_tokens: 1 } };
    return { type: 'assistant', message: { id: `m${++calls}`, role: 'assistant', content: [content], ...usage } };
  };
  return {
    say(text, tokens) {
      last = text;
      tell(assistant({ type: 'text', text }, tokens));
    },
    /** Breaks off in the middle of the word. */
    sayHalf(text) {
      const whole = isStream ? JSON.stringify(assistant({ type: 'text', text })) : text;
      print(whole.slice(0, whole.indexOf('DONE') + 2));
    },
    toolOutput(output) {
      tell(assistant({ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'cat notes' } }));
      tell(answerOf('t1', output));
    },
    /** The subagent's words come under the tool call that started it, and again as the result of that call. */
    subagent(text, tokens) {
      tell(assistant({ type: 'tool_use', id: 't2', name: 'Task', input: { prompt: 'Look at it.' } }));
      tell({ ...assistant({ type: 'text', text }, tokens), parent_tool_use_id: 't2' });
      tell(answerOf('t2', text));
    },
    result() {
      if (hasEnded) return;
      hasEnded = true;
      tell({ type: 'result', subtype: 'success', is_error: false, result: last, total_cost_usd: 0.01 });
      if (!isStream) print(`${last}\n`);
    },
    /** A usage limit with its reset, or an overloaded service: Claude Code reports both as a success with an error. */
    refusal({ status, words, resetAt }) {
      const info = { status: 'rejected', resetsAt: resetAt };
      if (resetAt !== undefined) tell({ type: 'rate_limit_event', rate_limit_info: info });
      const refused = { is_error: true, terminal_reason: 'api_error', api_error_status: status, result: words };
      tell({ type: 'result', subtype: 'success', ...refused });
      if (!isStream) print(`${words}\n`);
    },
  };
}

function answerOf(id, content) {
  const results = [{ type: 'tool_result', tool_use_id: id, content, is_error: false }];
  return { type: 'user', message: { role: 'user', content: results } };
}
