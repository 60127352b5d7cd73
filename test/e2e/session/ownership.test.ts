/** A loop inside a session belongs to that session, whatever happens to its transcript, its journal and its hook. */
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmdirSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { answerOf, assistant, DONE, hookedSession } from '../../support/session/session-loop.ts';

describe('a loop belongs to its session', () => {
  test('another session in the same folder can stop, and so can a later one after a crash', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    await session.stop('no');
    const other = hookedSession({ work: session.work, state: session.state });
    expect(await other.stop('bye')).toEqual({});
    expect((await other.type('ralph-status')).stopReason).toBe('No active Ralph loop found.');
    expect((await other.type('cancel-ralph')).stopReason).toBe('No active Ralph loop found.');
    expect((await session.stop('still here')).decision).toBe('block');
  });

  test('a subagent of the session can stop', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    expect(await session.stop('done', { input: { agent_id: 'a1', agent_type: 'Explore' } })).toEqual({});
    expect(answerOf(await session.hear({ hook_event_name: 'SubagentStop', last_assistant_message: 'x' }))).toEqual({});
    expect(session.journal().filter(({ result }) => result.kind === 'ran')).toEqual([]);
  });

  test.each(['resume', 'compact'])('after a %s it continues, and the agent gets its rules again', async (source) => {
    const session = hookedSession();
    await session.type('ralph-loop', '"The task"');
    await session.stop('no');
    const renewed = answerOf(await session.hear({ hook_event_name: 'SessionStart', source }));
    expect(renewed.hookSpecificOutput?.hookEventName).toBe('SessionStart');
    expect(renewed.hookSpecificOutput?.additionalContext).toContain('The task');
    expect((await session.stop('no')).systemMessage).toContain('Ralph iteration 2/100');
    expect(answerOf(await session.hear({ hook_event_name: 'SessionStart', source: 'startup' }))).toEqual({});
  });

  test('a transcript that was rewritten and is shorter neither counts as new nor ends the loop', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    await session.stop('x'.repeat(5000), { toolCalls: 1 });
    truncateSync(session.transcript, 0);
    session.write(assistant({ type: 'text', text: DONE }));
    expect((await session.stop('no', { isLate: true })).decision).toBe('block');
    expect((await session.stop(DONE)).systemMessage).toContain('PROMISE_ACCEPTED');
  });

  test('after a transcript has moved to another folder, what was judged before does not count again', async () => {
    const session = hookedSession();
    session.write(assistant({ type: 'tool_use', id: '1', name: 'Bash', input: {} }));
    session.write(assistant({ type: 'text', text: DONE }));
    await session.type('ralph-loop', '"A new task"');
    const transcript_path = join(testFolder(), basename(session.transcript));
    renameSync(session.transcript, transcript_path);
    const moved = await session.stop('I have only just come here.', { isLate: true, input: { transcript_path } });
    expect(moved.reason).toContain('you did not output the completion promise');
    expect(session.log()).toContain('0 tool calls so far');
    appendFileSync(transcript_path, `${JSON.stringify(assistant({ type: 'tool_use', id: '2' }))}\n`);
    const done = await session.stop(DONE, { isLate: true, input: { transcript_path } });
    expect(done.systemMessage).toContain('PROMISE_ACCEPTED');
  });

  test('a transcript that could not be read once is read on from the same position', async () => {
    const session = hookedSession();
    session.write(assistant({ type: 'text', text: DONE }));
    await session.type('ralph-loop', '"x" --min-tool-calls 0');
    const aside = `${session.transcript}.aside`;
    renameSync(session.transcript, aside);
    expect((await session.stop('one', { isLate: true })).decision).toBe('block');
    renameSync(aside, session.transcript);
    expect((await session.stop('two')).decision).toBe('block');
  });

  test.each([
    ['a damaged journal', 'journal.jsonl', '{"v":1,"seq":0}\nnonsense\n{"v":1,"seq":2,"result":{"kind":"ran"}}\n'],
    ['an empty journal', 'journal.jsonl', ''],
    [
      'a journal of something else',
      'journal.jsonl',
      '{"v":1,"seq":0,"at":1,"key":"x","attempt":1,"result":{"kind":"waited"}}\n',
    ],
  ])('%s lets the session stop, is reported once, and does not prevent a new loop', async (_what, file, content) => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    writeFileSync(join(session.folder(), file), content);
    const answer = await session.stop('no');
    expect(answer.decision).toBeUndefined();
    expect(answer.systemMessage).toContain("the journal of this session's loop is damaged: ");
    expect(answer.systemMessage).toContain('The loop has ended');
    expect(await session.stop('no')).toEqual({});
    // Neither command refers to the other one.
    for (const command of ['ralph-status', 'cancel-ralph']) {
      const { stopReason = '' } = await session.type(command);
      expect(stopReason).toContain(`What it did is in ${join(session.folder(), 'loop.log')}`);
      expect(stopReason).toContain('To start a new one, run: /ralph-loop "<task>"');
      expect(stopReason).not.toMatch(/ralph-status|cancel-ralph/);
    }
    await session.type('ralph-loop', '"new"');
    expect((await session.stop('no')).reason).toContain('Original task: new');
  });

  test('an unreadable journal lets the session stop and says why; once readable, the loop continues', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    const journal = join(session.folder(), 'journal.jsonl');
    renameSync(journal, `${journal}.aside`);
    mkdirSync(journal);
    const { decision, systemMessage } = await session.stop('no');
    expect(decision).toBeUndefined();
    expect(systemMessage).toContain(`could not continue: ${journal} is not a plain file`);
    expect(systemMessage).toContain(`(${session.folder()}). It does not hold the session until that is fixed.`);
    rmdirSync(journal);
    renameSync(`${journal}.aside`, journal);
    expect((await session.stop('no')).systemMessage).toContain('Ralph iteration 1/');
  });

  test('a pointer to anything but a loop of this session is reported as damaged', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    for (const content of ['../../../etc', 'session-other', `session-${session.id}.x`, '']) {
      writeFileSync(join(session.state, 'ralph/sessions', session.id), content);
      const { decision, systemMessage } = await session.stop('no');
      expect({ decision, systemMessage }).toEqual({
        decision: undefined,
        systemMessage: expect.stringContaining('is damaged: it names no loop of this session'),
      });
    }
  });
});

test('a clock that was set back does not end the loop', async () => {
  const session = hookedSession();
  await session.type('ralph-loop', '"x"');
  await session.stop('one');
  const journal = join(session.folder(), 'journal.jsonl');
  // As if it had been written before the clock was set back by an hour.
  const ahead = session.journal().map((record) => `${JSON.stringify({ ...record, at: record.at + 3_600_000 })}\n`);
  writeFileSync(journal, ahead.join(''));
  expect((await session.stop('two')).systemMessage).toContain('Ralph iteration 2/');
  expect((await session.type('ralph-loop', '"x"')).stopReason).toContain('already in a Ralph loop');
});

test('a hook that is killed after any record of its turn loses nothing: the next stop continues', async () => {
  const session = hookedSession();
  await session.type('ralph-loop', '"x"');
  await session.stop('one', { toolCalls: 1 });
  const journal = join(session.folder(), 'journal.jsonl');
  const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(7);
  for (let kept = 3; kept <= lines.length; kept++) {
    writeFileSync(journal, `${lines.slice(0, kept).join('\n')}\n{"v":1,"seq":${kept},"at`);
    expect((await session.stop('two')).decision).toBe('block');
  }
  expect((await session.stop(DONE)).systemMessage).toContain('PROMISE_ACCEPTED');
});
