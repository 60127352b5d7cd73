#!/usr/bin/env node
/** The agent of the loops in the picture of `ralph top`: what it does depends on the project that it works in. */
import { appendFileSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PLAYS = {
  docs: { says: ['<response>DONE</response>'], seconds: [0.4] },
  web: { says: ['<response>DONE</response>'], seconds: [0.5, 1.3, 0.8, 1.6, 0.3, 1.1] },
  shop: {
    says: ['The migration is ready.', '<response>BLOCKED: which database should the tests use?</response>'],
    seconds: [0.6, 1.2],
  },
  demo: { says: ['<response>DONE</response>'], seconds: [1.4, 0.7, 1.1], staysFrom: 4 },
};

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const assistant = (...content) => print({ type: 'assistant', message: { id: 'm', role: 'assistant', content } });
const text = (words) => assistant({ type: 'text', text: words });
const tool = (id, name, input) => assistant({ type: 'tool_use', id, name, input });
const result = (id, content) =>
  print({ type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] } });

if (process.argv.includes('--version')) {
  console.log('2.1.325 (Claude Code)');
} else {
  const project = basename(process.cwd());
  // Each start adds a line, so the lines count the starts.
  const number = readFileSync('greet.js', 'utf8').split('\n').length - 1;
  const { says, seconds, staysFrom = Number.POSITIVE_INFINITY } = PLAYS[project];
  print({ type: 'system', subtype: 'init', session_id: 's', model: 'claude-sonnet-4-5' });
  text('I’ll look at the failing test first.');
  tool('t1', 'Read', { file_path: 'test/greet.test.js' });
  result('t1', "test('greets a stranger', () => {\n  expect(greet()).toBe('Hello, stranger');\n});");
  tool('t2', 'Edit', { file_path: 'src/greet.js', old_string: 'name', new_string: "name ?? 'stranger'" });
  appendFileSync('greet.js', `// ${number}\n`);
  result('t2', 'The file src/greet.js has been updated.');
  tool('t3', 'Bash', { command: 'npm run build' });
  if (number + 1 >= staysFrom) await sleep(600_000);
  await sleep(seconds[number % seconds.length] * 1000);
  result('t3', 'built in 0.4 s');
  for (const words of says.slice(0, -1)) text(words);
  text(says.at(-1));
  const usage = { input_tokens: 57_000, output_tokens: 1200 };
  const account = { is_error: false, duration_ms: 1000, num_turns: 4, total_cost_usd: 0.21, usage };
  print({ type: 'result', subtype: 'success', result: says.at(-1), ...account });
}
