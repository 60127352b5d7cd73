/** The built hook of the loop inside a session, with the events of Claude Code as they were measured. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../support/folder.ts';
import { answerOf, assistant, hookedSession, person, toolResult } from '../support/session-loop.ts';
import { slowGit } from '../support/slow-git.ts';

const DONE = '<promise>DONE</promise>';

describe('/ralph-loop', () => {
  test.each(['ralph:ralph-loop', 'ralph-loop'])(
    'as %s begins the loop of this session, and tells its rules',
    async (name) => {
      const session = hookedSession();
      const { hookSpecificOutput, systemMessage } = await session.type(name, '"Fix `it`" --max-iterations=5');
      expect(hookSpecificOutput?.hookEventName).toBe('UserPromptExpansion');
      expect(hookSpecificOutput?.additionalContext).toContain('Fix `it`');
      expect(systemMessage).toContain('Ralph loop started: at most 5 iterations');
      expect(session.isActive()).toBe(true);
    },
  );

  test.each([
    ['', 'the task is missing'],
    ['"x" --max-iteration=3', 'there is no flag --max-iteration'],
    ['"x" --max-iterations=three', '--max-iterations takes a whole number'],
  ])('%j is refused with the usage, and nothing begins', async (args, why) => {
    const session = hookedSession();
    const answer = await session.type('ralph-loop', args);
    expect(answer.continue).toBe(false);
    expect(answer.stopReason).toContain(why);
    expect(answer.stopReason).toContain('Usage: /ralph-loop "<task>"');
    expect(existsSync(join(session.state, 'ralph/loops'))).toBe(false);
  });

  test('a task of 100 KB with everything in it lies unchanged where the agent is told to read', async () => {
    const session = hookedSession();
    const task = `it's "q" \`b\` $(touch ${session.work}/ran) !d \\ é🙂\n---\n`.repeat(1700).trim();
    const { hookSpecificOutput } = await session.type('ralph-loop', `"${task}" --max-iterations 3`);
    // Beside the transcript, where Claude Code may read whatever its permissions are.
    const file = join(session.transcript.replace(/\.jsonl$/, ''), 'tool-results', `session-${session.id}-task.txt`);
    expect(hookSpecificOutput?.additionalContext).toContain(`in the file ${file}`);
    expect(hookSpecificOutput?.additionalContext.length).toBeLessThan(10_000);
    for (const kept of [file, join(session.folder(), 'task.txt')]) expect(readFileSync(kept, 'utf8')).toBe(task);
    const { reason = '' } = await session.stop('no');
    expect(reason).toContain(file);
    expect(reason.length).toBeLessThan(10_000);
    expect(existsSync(join(session.work, 'ran'))).toBe(false);
  });

  test('a key in the task is told as it is, and is not in the journal', async () => {
    const session = hookedSession({ env: { MY_TOKEN: 'hush-hush-1234' } });
    await session.type('ralph-loop', '"Use hush-hush-1234" --max-iterations 3');
    expect((await session.stop('no')).reason).toContain('Original task: Use hush-hush-1234');
    expect(readFileSync(join(session.folder(), 'journal.jsonl'), 'utf8')).not.toContain('hush-hush');
  });

  test('another command, or the same of another plugin, is none of ours', async () => {
    const session = hookedSession();
    for (const name of ['ralph-wiggum:ralph-loop', 'review', 'ralph:ralph-plan', '']) {
      expect(await session.type(name, '"x"')).toEqual({});
    }
    expect(existsSync(join(session.state, 'ralph'))).toBe(false);
  });

  test('a second one is refused while the first goes on, and is a loop of its own afterwards', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"first"');
    expect((await session.type('ralph-loop', '"second"')).stopReason).toContain('in a Ralph loop already');
    expect((await session.stop('no')).reason).toContain('Original task: first');
    await session.stop(DONE, { toolCalls: 1 });
    expect((await session.type('ralph-loop', '"second"')).hookSpecificOutput?.additionalContext).toContain('second');
    expect((await session.stop('no')).reason).toContain('Original task: second');
    expect(session.folder()).toMatch(/\.2$/);
  });

  test('two at once with different tasks: one begins, the other waits for it and is refused', async () => {
    const session = hookedSession();
    const git = slowGit();
    const first = session.type('ralph-loop', '"a"', { env: { PATH: git.path } });
    await git.isWaiting();
    const second = session.type('ralph-loop', '"b"');
    // Until it surely runs, and waits for the first.
    await sleep(1000);
    git.open();
    expect((await second).stopReason).toContain('in a Ralph loop already');
    expect((await first).hookSpecificOutput?.additionalContext).toContain('The task:\na\n');
  });

  test('after a hook that was killed when it had ended the last one: that one is over', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"first"');
    const pointer = join(session.state, 'ralph/sessions', session.id);
    const left = readFileSync(pointer);
    await session.stop(DONE, { toolCalls: 1 });
    writeFileSync(pointer, left);
    expect((await session.type('ralph-loop', '"second"')).hookSpecificOutput?.additionalContext).toContain('second');
    expect((await session.stop('no')).reason).toContain('Original task: second');
  });

  test('warns of the cap that would end it, with the line that lifts it', async () => {
    const warned = await hookedSession().type('ralph-loop', '"x" --max-iterations 20');
    expect(warned.systemMessage).toContain('8 times in a row');
    expect(warned.systemMessage).toContain('"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "21"');
    for (const [cap, limit] of [
      ['8', '8'],
      ['21', '20'],
      ['0', '500'],
      ['none', '8'],
    ] as const) {
      const session = hookedSession({ env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: cap } });
      expect((await session.type('ralph-loop', `"x" --max-iterations ${limit}`)).systemMessage).not.toContain(
        'in a row',
      );
    }
  });

  test('two copies of the hook hear one command: one loop, told once', async () => {
    const session = hookedSession();
    const both = await Promise.all([session.type('ralph-loop', '"x"'), session.type('ralph-loop', '"x"')]);
    expect(both.filter((answer) => answer.hookSpecificOutput !== undefined)).toHaveLength(1);
    expect(both.filter((answer) => answer.stopReason !== undefined)).toEqual([]);
    expect(session.folder()).toMatch(new RegExp(`session-${session.id}$`));
  });
});

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
  ])('%s is none', async (_where, lines) => {
    const session = hookedSession();
    await session.type('ralph-loop', `"Say ${DONE}" --min-tool-calls 0`);
    session.write(...lines);
    expect((await session.stop('Not yet.')).decision).toBe('block');
  });

  test('counts when the last message holds only a tool call, and an earlier text of the turn the promise', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    session.write(
      assistant({ type: 'text', text: DONE }),
      assistant({ type: 'tool_use', id: '1', name: 'Bash', input: {} }),
    );
    const answer = answerOf(await session.hear({ hook_event_name: 'Stop', stop_hook_active: false }));
    expect(answer.systemMessage).toContain('PROMISE_ACCEPTED');
  });

  test('given before a person has added something does not count', async () => {
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

  test('after nothing but a tool call that was denied has no work behind it', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    const denial = "Claude requested permissions to write to x, but you haven't granted it yet.";
    session.write(
      assistant({ type: 'tool_use', id: 'w1', name: 'Write', input: {} }),
      toolResult({ tool_use_id: 'w1', content: denial, is_error: true }),
    );
    expect((await session.stop(DONE)).reason).toContain('no tool calls/work were performed');
    // A command that fails was run.
    session.write(
      assistant({ type: 'tool_use', id: 'b1', name: 'Bash', input: {} }),
      toolResult({ tool_use_id: 'b1', content: 'Exit code 1', is_error: true }),
    );
    expect((await session.stop(DONE)).systemMessage).toContain('PROMISE_ACCEPTED');
  });

  test('with fewer tool calls behind it than asked for is rejected, and the agent is told how many are needed', async () => {
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

  test('that was rejected is not found again, not even when the transcript shows it late', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    expect((await session.stop(DONE, { isLate: true })).reason).toContain('Promise detected, but no tool calls/work');
    session.write(assistant({ type: 'text', text: DONE }));
    const next = await session.stop('I looked.', { toolCalls: 2 });
    expect(next.reason).toContain('you did not output the completion promise');
    expect((await session.stop(DONE, { isLate: true })).systemMessage).toContain('PROMISE_ACCEPTED');
  });

  test('with work behind it is believed, also when the transcript shows both late', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    session.write({ type: 'user' });
    const judged = session.stop(DONE, { isLate: true });
    const holders = (): string[] => (existsSync(lock) ? readdirSync(lock) : []);
    const lock = join(session.folder(), 'lock');
    while (holders().length === 0) await sleep(5);
    // It holds the loop, and has looked at the transcript or is about to.
    await sleep(200);
    session.write(
      assistant({ type: 'tool_use', id: 't', name: 'Bash', input: {} }),
      assistant({ type: 'text', text: DONE }),
    );
    expect((await judged).systemMessage).toContain('PROMISE_ACCEPTED');
    expect(session.log()).toContain('1 tool calls so far');
  });

  test.each([`${DONE}\n\n`, ` ${DONE}`])(
    'that was rejected is not found again with other blanks around it: %j',
    async (shown) => {
      const session = hookedSession();
      await session.type('ralph-loop', '"x"');
      expect((await session.stop(DONE, { isLate: true })).reason).toContain('Promise detected, but no tool calls/work');
      session.write(assistant({ type: 'text', text: shown }));
      const next = await session.stop('I looked.', { toolCalls: 2 });
      expect(next.reason).toContain('you did not output the completion promise');
    },
  );

  test('is found in the event alone, where there is no transcript; then output or the tree must show work', async () => {
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

describe('the last lines', () => {
  const git = (work: string, ...args: string[]) =>
    execFileSync('git', ['-C', work, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      stdio: 'ignore',
    });

  test('of a loop that is done say what was checked, what it took, and whether it is committed', async () => {
    const work = testFolder();
    git(work, 'init');
    git(work, 'commit', '--allow-empty', '-m', 'first');
    const session = hookedSession({ work });
    await session.type('ralph-loop', '"x" --check "true"');
    await session.stop('no', { toolCalls: 1 });
    writeFileSync(join(work, 'made.txt'), 'work');
    const { systemMessage = '' } = await session.stop(DONE);
    const lines = systemMessage.split('\n');
    expect(lines[0]).toBe('Ralph loop: PROMISE_ACCEPTED at iteration 1: promise found, all checks passed, accepted.');
    expect(lines[1]).toMatch(/^✓ Done in 1 iteration · \d+s · cost unknown$/);
    expect(lines.slice(2)).toEqual([
      '  The agent gave the promise once.',
      '  Passed: true.',
      '  1 changed file is not committed.',
      '  git status   what is not committed',
    ]);
    // The status tells the same.
    expect((await session.type('ralph-status')).stopReason).toContain(lines.slice(1).join('\n'));
  });

  test('of a loop at its limit say what stayed red, its log, and how to go on', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"Fix it" --max-iterations 2 --check "exit 4" --completion-promise "ALL OK"');
    const promise = '<promise>ALL OK</promise>';
    await session.stop(promise, { toolCalls: 1 });
    await session.stop(promise);
    const { systemMessage = '' } = await session.stop('Still red.');
    const lines = systemMessage.split('\n');
    expect(lines[0]).toBe('Ralph loop: MAX_ITERATIONS_REACHED (2): promise not found.');
    expect(lines[1]).toMatch(/^✗ Stopped at the limit of 2 iterations · \d+s · cost unknown$/);
    const flat = lines.map((line) => line.trim()).join(' ');
    expect(flat).toContain(`"exit 4" stayed red (exit 4, log ${join(session.folder(), 'check-2-1.log')}).`);
    expect(flat).toContain('The agent gave the promise twice. Nothing is committed: there is no git repository.');
    const [, again = ''] = /\/ralph-loop (.*)/.exec(lines.at(-2) ?? '') ?? [];
    expect(again).toBe('--max-iterations 4 --completion-promise "ALL OK" --check "exit 4" -- Fix it');
    // It is a command that can be typed.
    const { systemMessage: begun } = await session.type('ralph-loop', again);
    expect(begun).toContain('Ralph loop started: at most 4 iterations, ends with <promise>ALL OK</promise>');
  });
});

describe('a stop to wait for a background task', () => {
  const running = (...ids: string[]) => ({
    background_tasks: ids.map((id) => ({ id, type: 'shell', status: 'running', command: `npm run ${id}` })),
  });

  test('sends the agent back, and is not counted, once for each task', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x" --max-iterations 5');
    const waiting = await session.stop('I wait.', { toolCalls: 1, input: running('build') });
    expect(waiting.reason).toContain('you did not output the completion promise');
    expect(waiting.reason).toContain('Still running in the background:\n- npm run build\n');
    expect(waiting.systemMessage).toContain('Ralph iteration 0/5: promise not found, but something is still running');
    expect((await session.stop('I still wait.', { input: running('build') })).systemMessage).toContain(
      'Ralph iteration 1/5: promise not found.',
    );
    const another = await session.stop('For this, too.', { toolCalls: 1, input: running('build', 'test') });
    expect(another.systemMessage).toContain('Ralph iteration 1/5');
    expect((await session.stop('So.', { input: running() })).systemMessage).toContain('Ralph iteration 2/5');
  });

  test('with a promise is judged as any other: a server may well run on', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    const answer = await session.stop(DONE, { toolCalls: 1, input: running('dev') });
    expect(answer.systemMessage).toContain('PROMISE_ACCEPTED');
  });

  test('does not keep the loop from its limit, however many tasks are begun', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x" --max-iterations 2');
    const notices: (string | undefined)[] = [];
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      notices.push((await session.stop(id, { toolCalls: 1, input: running(id) })).systemMessage);
    }
    expect(notices.at(-1)).toContain('MAX_ITERATIONS_REACHED (2)');
  });
});

describe('a loop belongs to its session', () => {
  test('another session in the same folder may stop, and so may a later one after a crash', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    await session.stop('no');
    const other = hookedSession({ work: session.work, state: session.state });
    expect(await other.stop('bye')).toEqual({});
    expect((await other.type('ralph-status')).stopReason).toBe('No active Ralph loop found.');
    expect((await other.type('cancel-ralph')).stopReason).toBe('No active Ralph loop found.');
    expect((await session.stop('still here')).decision).toBe('block');
  });

  test('a subagent of the session may stop', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    expect(await session.stop('done', { input: { agent_id: 'a1', agent_type: 'Explore' } })).toEqual({});
    expect(answerOf(await session.hear({ hook_event_name: 'SubagentStop', last_assistant_message: 'x' }))).toEqual({});
    expect(session.journal().filter(({ result }) => result.kind === 'ran')).toEqual([]);
  });

  test.each(['resume', 'compact'])('after a %s it goes on, and its rules are told again', async (source) => {
    const session = hookedSession();
    await session.type('ralph-loop', '"The task"');
    await session.stop('no');
    const renewed = answerOf(await session.hear({ hook_event_name: 'SessionStart', source }));
    expect(renewed.hookSpecificOutput?.hookEventName).toBe('SessionStart');
    expect(renewed.hookSpecificOutput?.additionalContext).toContain('The task');
    expect((await session.stop('no')).systemMessage).toContain('Ralph iteration 2/100');
    expect(answerOf(await session.hear({ hook_event_name: 'SessionStart', source: 'startup' }))).toEqual({});
  });

  test('a transcript that was written anew and shorter is no news, and no end', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    await session.stop('x'.repeat(5000), { toolCalls: 1 });
    truncateSync(session.transcript, 0);
    session.write(assistant({ type: 'text', text: DONE }));
    expect((await session.stop('no', { isLate: true })).decision).toBe('block');
    expect((await session.stop(DONE)).systemMessage).toContain('PROMISE_ACCEPTED');
  });

  test('a transcript that moves to another folder takes its history along: what was judged is no news there', async () => {
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

  test('a transcript that cannot be read for once is read on from where it was', async () => {
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
  ])('%s lets the session stop, says so once, and does not keep a new loop away', async (_what, file, content) => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    writeFileSync(join(session.folder(), file), content);
    const answer = await session.stop('no');
    expect(answer.decision).toBeUndefined();
    expect(answer.systemMessage).toContain("the journal of this session's loop is damaged: ");
    expect(answer.systemMessage).toContain('The loop has ended');
    expect(await session.stop('no')).toEqual({});
    // Neither sends the person to the other one.
    for (const command of ['ralph-status', 'cancel-ralph']) {
      const { stopReason = '' } = await session.type(command);
      expect(stopReason).toContain(`What it did is in ${join(session.folder(), 'loop.log')}`);
      expect(stopReason).toContain('To start a new one, run: /ralph-loop "<task>"');
      expect(stopReason).not.toMatch(/ralph-status|cancel-ralph/);
    }
    await session.type('ralph-loop', '"new"');
    expect((await session.stop('no')).reason).toContain('Original task: new');
  });

  test('a journal that cannot be read for now lets the session stop and says why; the loop goes on when it can', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    const journal = join(session.folder(), 'journal.jsonl');
    renameSync(journal, `${journal}.aside`);
    mkdirSync(journal);
    const { decision, systemMessage } = await session.stop('no');
    expect(decision).toBeUndefined();
    expect(systemMessage).toContain(`could not go on: ${journal} is not a plain file`);
    expect(systemMessage).toContain(`(${session.folder()}). It does not hold the session until that is fixed.`);
    rmdirSync(journal);
    renameSync(`${journal}.aside`, journal);
    expect((await session.stop('no')).systemMessage).toContain('Ralph iteration 1/');
  });

  test('a pointer to somewhere else leads nowhere', async () => {
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

describe('/cancel-ralph and /ralph-status', () => {
  test('end it at once and tell its iteration; then the session may stop', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    await session.stop('no');
    await session.stop('no');
    const { stopReason = '' } = await session.type('ralph:cancel-ralph');
    expect(stopReason.split('\n')[0]).toBe('Cancelled Ralph loop (was at iteration 2)');
    expect(stopReason).toMatch(/\n✗ Stopped after 2 iterations, as you asked · \d+s · cost unknown\n/);
    expect(await session.stop('no')).toEqual({});
    expect((await session.type('ralph:ralph-status')).stopReason).toContain('Ralph loop: CANCELLED, iteration 2');
  });

  test('two copies of the hook hear one cancel: both say the same', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    const both = await Promise.all([session.type('cancel-ralph'), session.type('cancel-ralph')]);
    expect(both.map(({ stopReason }) => stopReason)).toEqual(
      Array(2).fill(
        expect.stringMatching(/^Cancelled Ralph loop \(was at iteration 0\)\n✗ Stopped before the agent did/),
      ),
    );
  });

  test('show no control characters of what was typed', async () => {
    const session = hookedSession();
    const nasty = '\u001b]0;title\u0007 \u009b31m';
    await session.type('ralph-loop', `"Do ${nasty}" --check "echo ${nasty}"`);
    const { stopReason = '' } = await session.type('ralph-status');
    expect(stopReason).toContain('Task: Do ]0;title 31m');
    expect(stopReason).toContain('Checks: echo ]0;title 31m');
    const refused = await session.type('ralph-loop', `"x" --b${nasty}`);
    for (const text of [stopReason, refused.stopReason]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }
  });

  test('show the state, the last decision and the log', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"The task\nwith more" --max-iterations 7 --completion-promise OK');
    await session.stop('no', { toolCalls: 0 });
    await session.stop('<promise>OK</promise>');
    const { stopReason = '' } = await session.type('ralph-status');
    expect(stopReason).toContain('Ralph loop: ACTIVE, iteration 2 of at most 7');
    expect(stopReason).toContain('Promise: <promise>OK</promise>');
    expect(stopReason).toContain('Task: The task […]');
    expect(stopReason).toContain('Last decision: promise found, rejected: 0 tool calls, 1 needed');
    expect(stopReason).toContain(join(session.folder(), 'loop.log'));
    expect(
      session
        .log()
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(25)),
    ).toEqual([
      'iteration 0: begun, at most 7 iterations',
      'iteration 1: promise not found; 0 tool calls so far; sent back',
      'iteration 2: promise found, rejected: 0 tool calls, 1 needed; 0 tool calls so far; sent back',
    ]);
  });
});

describe('the cap of blocks', () => {
  test('reached is CAP_REACHED, said once, and --resume goes on', async () => {
    const session = hookedSession({ env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '2' } });
    await session.type('ralph-loop', '"The task" --max-iterations 9');
    const again = { input: { stop_hook_active: true } };
    expect((await session.stop('a')).decision).toBe('block');
    expect((await session.stop('b', again)).decision).toBe('block');
    const capped = await session.stop('c', again);
    expect(capped.decision).toBeUndefined();
    expect(capped.systemMessage).toContain('CAP_REACHED');
    expect(capped.systemMessage).toContain('/ralph-loop --resume');
    expect(capped.systemMessage).toContain('"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "10"');
    expect(await session.stop('d')).toEqual({});
    expect((await session.type('ralph-status')).stopReason).toContain('Ralph loop: CAP_REACHED, iteration 2');
    const resumed = await session.type('ralph-loop', '--resume');
    expect(resumed.hookSpecificOutput?.additionalContext).toContain('Original task: The task');
    expect((await session.stop('e')).systemMessage).toContain('Ralph iteration 4/9');
    const active = await session.type('ralph-loop', '--resume');
    expect(active.hookSpecificOutput?.additionalContext).toContain('You are in a Ralph loop.');
    expect(active.systemMessage).toContain('at iteration 4/9');
  });

  test('a promise that is given while the loop waits is not met with silence', async () => {
    const session = hookedSession({ env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '1' } });
    await session.type('ralph-loop', '"x" --max-iterations 9');
    await session.stop('a');
    expect((await session.stop('b', { input: { stop_hook_active: true } })).systemMessage).toContain('CAP_REACHED');
    const unheard = await session.stop(DONE, { toolCalls: 1 });
    expect(unheard.systemMessage).toContain('To continue, run: /ralph-loop --resume');
    expect(await session.stop('no promise')).toEqual({});
  });

  test('a promise that was given while the loop waited does not count when it goes on; what was done then does', async () => {
    const session = hookedSession({ env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '1' } });
    await session.type('ralph-loop', '"x" --max-iterations 9');
    await session.stop('a');
    await session.stop('b', { input: { stop_hook_active: true } });
    await session.stop(DONE, { toolCalls: 1 });
    await session.type('ralph-loop', '--resume');
    session.write(person('<command-name>/ralph-loop</command-name>'));
    const { reason } = await session.stop('Not done yet.', { isLate: true });
    expect(reason).toContain('you did not output the completion promise');
    expect((await session.stop(DONE)).systemMessage).toContain('PROMISE_ACCEPTED');
  });

  test('a cap that is no number is the usual one', async () => {
    const session = hookedSession({ env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: 'none' } });
    expect((await session.type('ralph-loop', '"x" --max-iterations 9')).systemMessage).toContain('8 times in a row');
  });

  test('--resume without a loop that could go on is refused', async () => {
    const session = hookedSession();
    expect((await session.type('ralph-loop', '--resume')).stopReason).toBe('No active Ralph loop found.');
    await session.type('ralph-loop', '"x"');
    await session.stop(DONE, { toolCalls: 1 });
    expect((await session.type('ralph-loop', '--resume')).stopReason).toContain('has ended: PROMISE_ACCEPTED');
  });
});

test('a promise that is given after a hook was killed behind the record of its turn is heard', async () => {
  const session = hookedSession();
  await session.type('ralph-loop', '"x"');
  await session.stop('one', { toolCalls: 1 });
  const journal = join(session.folder(), 'journal.jsonl');
  const lines = readFileSync(journal, 'utf8').split('\n');
  const ran = lines.findIndex((line) => line.includes('"kind":"ran"'));
  writeFileSync(journal, `${lines.slice(0, ran + 1).join('\n')}\n`);
  expect((await session.stop(DONE)).systemMessage).toContain('PROMISE_ACCEPTED');
});

test('a clock that was set back does not end the loop', async () => {
  const session = hookedSession();
  await session.type('ralph-loop', '"x"');
  await session.stop('one');
  const journal = join(session.folder(), 'journal.jsonl');
  // As it stands when it was written before the clock was set back by an hour.
  const ahead = session.journal().map((record) => `${JSON.stringify({ ...record, at: record.at + 3_600_000 })}\n`);
  writeFileSync(journal, ahead.join(''));
  expect((await session.stop('two')).systemMessage).toContain('Ralph iteration 2/');
  expect((await session.type('ralph-loop', '"x"')).stopReason).toContain('in a Ralph loop already');
});

test('a hook that was killed behind any record of its turn loses nothing: the next stop goes on from there', async () => {
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
