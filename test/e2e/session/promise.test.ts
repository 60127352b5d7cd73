/** When the built hook accepts the promise of a loop inside a session. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { answerOf, assistant, DONE, hookedSession, person, toolResult } from '../../support/session/session-loop.ts';

describe('the promise', () => {
  test.each([
    [
      'in a tool’s output',
      [{ type: 'user', message: { role: 'user', content: [{ type: 'tool_result', content: DONE }] } }],
    ],
    ['in the echo of the prompt', [{ type: 'user', message: { role: 'user', content: `say ${DONE}` } }]],
    [
      'in a hook’s feedback',
      [{ type: 'user', isMeta: true, message: { role: 'user', content: `Stop hook feedback:\n${DONE}` } }],
    ],
    [
      'in a user’s text that quotes an answer',
      [{ type: 'user', message: { role: 'user', content: [{ type: 'text', text: DONE }] }, of: { type: 'assistant' } }],
    ],
    [
      'in a tool’s input',
      [assistant({ type: 'tool_use', id: '1', name: 'Bash', input: { command: `echo '${DONE}'` } })],
    ],
    ['in the agent’s thoughts', [assistant({ type: 'thinking', thinking: DONE })]],
    ['in a subagent’s words', [{ ...(assistant({ type: 'text', text: DONE }) as object), isSidechain: true }]],
    ['in a line that is none', ['"type":"assistant" <promise>DONE</promise>']],
  ])('%s does not count', async (_where, lines) => {
    const session = hookedSession();
    await session.type('ralph-loop', `"Say ${DONE}" --min-tool-calls 0`);
    session.write(...lines);
    expect((await session.stop('Not yet.')).decision).toBe('block');
  });

  test('counts in an earlier text of the turn, even if the last message is only a tool call', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    session.write(
      assistant({ type: 'text', text: DONE }),
      assistant({ type: 'tool_use', id: '1', name: 'Bash', input: {} }),
    );
    const answer = answerOf(await session.hear({ hook_event_name: 'Stop', stop_hook_active: false }));
    expect(answer.systemMessage).toContain('PROMISE_ACCEPTED');
  });

  test('does not count if a person has added something since', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    session.write(
      assistant({ type: 'tool_use', id: '1', name: 'Bash', input: {} }),
      assistant({ type: 'text', text: DONE }),
      person('[Request interrupted by user]'),
      person('Also do that.'),
    );
    expect((await session.stop('Not done yet.')).reason).toContain('you did not output the completion promise');
    expect((await session.stop(DONE)).systemMessage).toContain('PROMISE_ACCEPTED');
  });

  test('after nothing but a denied tool call has no work behind it', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    const denial = "Claude requested permissions to write to x, but you haven't granted it yet.";
    session.write(
      assistant({ type: 'tool_use', id: 'w1', name: 'Write', input: {} }),
      toolResult({ tool_use_id: 'w1', content: denial, is_error: true }),
    );
    expect((await session.stop(DONE)).reason).toContain('no tool calls/work were performed');
    // A command that failed did run, so it counts as work.
    session.write(
      assistant({ type: 'tool_use', id: 'b1', name: 'Bash', input: {} }),
      toolResult({ tool_use_id: 'b1', content: 'Exit code 1', is_error: true }),
    );
    expect((await session.stop(DONE)).systemMessage).toContain('PROMISE_ACCEPTED');
  });

  test('after too few tool calls is rejected, and the agent reads how many are needed', async () => {
    const session = hookedSession();
    const { hookSpecificOutput } = await session.type('ralph-loop', '"x" --min-tool-calls 5');
    expect(hookSpecificOutput?.additionalContext).toContain('fewer than 5 tool calls behind it is rejected');
    const { reason } = await session.stop(DONE, { toolCalls: 3 });
    expect(reason).toContain('At least 5 tool calls are needed; so far: 3.');
  });

  test('from before the loop does not count', async () => {
    const session = hookedSession();
    session.write(
      assistant({ type: 'tool_use', id: '1', name: 'Bash', input: {} }),
      assistant({ type: 'text', text: DONE }),
    );
    await session.type('ralph-loop', '"x"');
    expect((await session.stop('Hm.')).decision).toBe('block');
  });

  test('that was rejected is not found again, not even if the transcript shows it late', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    expect((await session.stop(DONE, { isLate: true })).reason).toContain('Promise detected, but no tool calls/work');
    session.write(assistant({ type: 'text', text: DONE }));
    const next = await session.stop('I looked.', { toolCalls: 2 });
    expect(next.reason).toContain('you did not output the completion promise');
    expect((await session.stop(DONE, { isLate: true })).systemMessage).toContain('PROMISE_ACCEPTED');
  });

  test('with work behind it counts, even if the transcript shows both late', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    session.write({ type: 'user' });
    const judged = session.stop(DONE, { isLate: true });
    const holders = (): string[] => (existsSync(lock) ? readdirSync(lock) : []);
    const lock = join(session.folder(), 'lock');
    while (holders().length === 0) await sleep(5);
    // The hook holds the lock of the loop, and has read the transcript or is about to.
    await sleep(200);
    session.write(
      assistant({ type: 'tool_use', id: 't', name: 'Bash', input: {} }),
      assistant({ type: 'text', text: DONE }),
    );
    expect((await judged).systemMessage).toContain('PROMISE_ACCEPTED');
    expect(session.log()).toContain('1 tool calls so far');
  });

  test.each([`${DONE}\n\n`, ` ${DONE}`])(
    'that was rejected is not found again with other whitespace around it: %j',
    async (shown) => {
      const session = hookedSession();
      await session.type('ralph-loop', '"x"');
      expect((await session.stop(DONE, { isLate: true })).reason).toContain('Promise detected, but no tool calls/work');
      session.write(assistant({ type: 'text', text: shown }));
      const next = await session.stop('I looked.', { toolCalls: 2 });
      expect(next.reason).toContain('you did not output the completion promise');
    },
  );

  test('is taken from the event if there is no transcript; then output or the work tree must show work', async () => {
    const work = testFolder();
    const git = (...args: string[]) => execFileSync('git', ['-C', work, ...args], { stdio: 'ignore' });
    git('init');
    const session = hookedSession({ work });
    await session.type('ralph-loop', '"x"');
    expect((await session.stop(DONE, { isLate: true })).reason).toContain('no tool calls/work');
    writeFileSync(join(work, 'made.txt'), 'work');
    expect((await session.stop(DONE, { isLate: true })).systemMessage).toContain('PROMISE_ACCEPTED');
  });

  test('with --promise-position end counts only as the last line', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x" --promise-position end --min-tool-calls 0');
    expect((await session.stop(`I shall say ${DONE} later.`)).decision).toBe('block');
    expect((await session.stop(`So:\n${DONE}`)).systemMessage).toContain('PROMISE_ACCEPTED');
  });
});

test('a promise counts even if the last hook was killed right after recording its turn', async () => {
  const session = hookedSession();
  await session.type('ralph-loop', '"x"');
  await session.stop('one', { toolCalls: 1 });
  const journal = join(session.folder(), 'journal.jsonl');
  const lines = readFileSync(journal, 'utf8').split('\n');
  const ran = lines.findIndex((line) => line.includes('"kind":"ran"'));
  writeFileSync(journal, `${lines.slice(0, ran + 1).join('\n')}\n`);
  expect((await session.stop(DONE)).systemMessage).toContain('PROMISE_ACCEPTED');
});
