/** Claude Code caps how many stops in a row a hook can block; the hook says when that ends a loop, and what to do. */
import { describe, expect, test } from 'vitest';
import { DONE, hookedSession, person } from '../../support/session/session-loop.ts';

describe('the cap of blocks', () => {
  test('ends the loop as CAP_REACHED, shown once, and --resume continues it', async () => {
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

  test('a promise that is given while the loop waits gets an answer', async () => {
    const session = hookedSession({ env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '1' } });
    await session.type('ralph-loop', '"x" --max-iterations 9');
    await session.stop('a');
    expect((await session.stop('b', { input: { stop_hook_active: true } })).systemMessage).toContain('CAP_REACHED');
    const unheard = await session.stop(DONE, { toolCalls: 1 });
    expect(unheard.systemMessage).toContain('To continue, run: /ralph-loop --resume');
    expect(await session.stop('no promise')).toEqual({});
  });

  test('after --resume, a promise given while the loop waited does not count, but work done then does', async () => {
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

  test('a cap that is not a number means the default', async () => {
    const session = hookedSession({ env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: 'none' } });
    expect((await session.type('ralph-loop', '"x" --max-iterations 9')).systemMessage).toContain('8 times in a row');
  });

  test('--resume without a loop to continue is refused', async () => {
    const session = hookedSession();
    expect((await session.type('ralph-loop', '--resume')).stopReason).toBe('No active Ralph loop found.');
    await session.type('ralph-loop', '"x"');
    await session.stop(DONE, { toolCalls: 1 });
    expect((await session.type('ralph-loop', '--resume')).stopReason).toContain('has ended: PROMISE_ACCEPTED');
  });
});
