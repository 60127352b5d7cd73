/** The built hook of the loop inside a session, with events like those that Claude Code was seen to send. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { slowGit } from '../../support/git/slow-git.ts';
import { DONE, hookedSession } from '../../support/session/session-loop.ts';

describe('/ralph-loop', () => {
  test.each(['ralph:ralph-loop', 'ralph-loop'])(
    'as %s starts the loop of this session, and gives the agent its rules',
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
  ])('%j is refused with the usage, and nothing starts', async (args, why) => {
    const session = hookedSession();
    const answer = await session.type('ralph-loop', args);
    expect(answer.continue).toBe(false);
    expect(answer.stopReason).toContain(why);
    expect(answer.stopReason).toContain('Usage: /ralph-loop "<task>"');
    expect(existsSync(join(session.state, 'ralph/loops'))).toBe(false);
  });

  test('a task of 100 KB with all kinds of characters is unchanged in the file that the agent is to read', async () => {
    const session = hookedSession();
    const task = `it's "q" \`b\` $(touch ${session.work}/ran) !d \\ é🙂\n---\n`.repeat(1700).trim();
    const { hookSpecificOutput } = await session.type('ralph-loop', `"${task}" --max-iterations 3`);
    // Next to the transcript, where Claude Code can read whatever its permissions are.
    const file = join(session.transcript.replace(/\.jsonl$/, ''), 'tool-results', `session-${session.id}-task.txt`);
    expect(hookSpecificOutput?.additionalContext).toContain(`The file ${file} contains it in full`);
    expect(hookSpecificOutput?.additionalContext.length).toBeLessThan(10_000);
    for (const kept of [file, join(session.folder(), 'task.txt')]) expect(readFileSync(kept, 'utf8')).toBe(task);
    const { reason = '' } = await session.stop('no');
    expect(reason).toContain(file);
    expect(reason.length).toBeLessThan(10_000);
    expect(existsSync(join(session.work, 'ran'))).toBe(false);
  });

  test('a key in the task reaches the agent, but not the journal', async () => {
    const session = hookedSession({ env: { MY_TOKEN: 'hush-hush-1234' } });
    await session.type('ralph-loop', '"Use hush-hush-1234" --max-iterations 3');
    expect((await session.stop('no')).reason).toContain('Original task: Use hush-hush-1234');
    expect(readFileSync(join(session.folder(), 'journal.jsonl'), 'utf8')).not.toContain('hush-hush');
  });

  test('another command, or the same one of another plugin, is ignored', async () => {
    const session = hookedSession();
    for (const name of ['ralph-wiggum:ralph-loop', 'review', 'ralph:ralph-plan', '']) {
      expect(await session.type(name, '"x"')).toEqual({});
    }
    expect(existsSync(join(session.state, 'ralph'))).toBe(false);
  });

  test('a second loop is refused while the first is running, and is a new loop afterwards', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"first"');
    expect((await session.type('ralph-loop', '"second"')).stopReason).toContain('already in a Ralph loop');
    expect((await session.stop('no')).reason).toContain('Original task: first');
    await session.stop(DONE, { toolCalls: 1 });
    expect((await session.type('ralph-loop', '"second"')).hookSpecificOutput?.additionalContext).toContain('second');
    expect((await session.stop('no')).reason).toContain('Original task: second');
    expect(session.folder()).toMatch(/\.2$/);
  });

  test('two at once with different tasks: one starts, the other waits for it and is refused', async () => {
    const session = hookedSession();
    const git = slowGit();
    const first = session.type('ralph-loop', '"a"', { env: { PATH: git.path } });
    await git.isWaiting();
    const second = session.type('ralph-loop', '"b"');
    // Long enough for it to run, and to wait for the first.
    await sleep(1000);
    git.open();
    expect((await second).stopReason).toContain('already in a Ralph loop');
    expect((await first).hookSpecificOutput?.additionalContext).toContain('The task:\na\n');
  });

  test('a loop whose hook was killed right after ending it is over: a new one can start', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"first"');
    const pointer = join(session.state, 'ralph/sessions', session.id);
    const left = readFileSync(pointer);
    await session.stop(DONE, { toolCalls: 1 });
    writeFileSync(pointer, left);
    expect((await session.type('ralph-loop', '"second"')).hookSpecificOutput?.additionalContext).toContain('second');
    expect((await session.stop('no')).reason).toContain('Original task: second');
  });

  test('warns of the cap that would end the loop, with the setting that raises it', async () => {
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

  test('two copies of the hook that get the same command start one loop and answer once', async () => {
    const session = hookedSession();
    const both = await Promise.all([session.type('ralph-loop', '"x"'), session.type('ralph-loop', '"x"')]);
    expect(both.filter((answer) => answer.hookSpecificOutput !== undefined)).toHaveLength(1);
    expect(both.filter((answer) => answer.stopReason !== undefined)).toEqual([]);
    expect(session.folder()).toMatch(new RegExp(`session-${session.id}$`));
  });
});

describe('the last lines', () => {
  const git = (work: string, ...args: string[]) =>
    execFileSync('git', ['-C', work, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      stdio: 'ignore',
    });

  test('of a loop that is done say what was checked, its time and cost, and whether it is committed', async () => {
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
    expect(lines[1]).toMatch(/^✓ Done in 1 iteration · \d+s · cost unknown · checked in the agent's work tree$/);
    expect(lines.slice(2)).toEqual([
      '  The agent gave the promise once.',
      '  Passed: true.',
      '  1 changed file is not committed.',
      '  git status   what is not committed',
    ]);
    // The status says the same.
    expect((await session.type('ralph-status')).stopReason).toContain(lines.slice(1).join('\n'));
  });

  test('of a loop at its limit say what stayed red, its log, and how to continue', async () => {
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
    // The printed command works.
    const { systemMessage: begun } = await session.type('ralph-loop', again);
    expect(begun).toContain('Ralph loop started: at most 4 iterations, ends with <promise>ALL OK</promise>');
  });
});

describe('a stop to wait for a background task', () => {
  const running = (...ids: string[]) => ({
    background_tasks: ids.map((id) => ({ id, type: 'shell', status: 'running', command: `npm run ${id}` })),
  });

  test('sends the agent back, and does not count as an iteration, once per task', async () => {
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

  test('with a promise is judged like any other: a server can keep running', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    const answer = await session.stop(DONE, { toolCalls: 1, input: running('dev') });
    expect(answer.systemMessage).toContain('PROMISE_ACCEPTED');
  });

  test('does not keep the loop from its limit, however many tasks are started', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x" --max-iterations 2');
    const notices: (string | undefined)[] = [];
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      notices.push((await session.stop(id, { toolCalls: 1, input: running(id) })).systemMessage);
    }
    expect(notices.at(-1)).toContain('MAX_ITERATIONS_REACHED (2)');
  });
});

describe('/cancel-ralph and /ralph-status', () => {
  test('end the loop at once and show its iteration; then the session can stop', async () => {
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

  test('two copies of the hook that get the same cancel give the same answer', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"x"');
    const both = await Promise.all([session.type('cancel-ralph'), session.type('cancel-ralph')]);
    expect(both.map(({ stopReason }) => stopReason)).toEqual(
      Array(2).fill(
        expect.stringMatching(/^Cancelled Ralph loop \(was at iteration 0\)\n✗ Stopped before the agent did/),
      ),
    );
  });

  test('show no control characters from what was typed', async () => {
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
