/** Large and odd output of an agent, written to a pipe. */
import { expect, test } from 'vitest';
import { makeScene } from '../support/scene.ts';

/** A guardrail, whose parent is ralph, records the peak memory of ralph in kB. */
const PEAK = 'grep VmHWM /proc/$PPID/status >"$SCENE/peak"';

async function peakMegabytes(lines: number): Promise<number> {
  const line = JSON.stringify({
    type: 'assistant',
    message: { content: [{ type: 'text', text: 'word '.repeat(400) }] },
  });
  const result = JSON.stringify({ type: 'result', is_error: false, result: 'ok' });
  const scene = makeScene({
    agent: 'claude',
    // The reader at the other end of the pipe is slower than the agent.
    play: `yes '${line}' | head -n ${lines}; echo '{"type":"assistant","message":{"content":[{"type":"text","text":"<response>DONE</response>"}]}}'; echo '${result}'`,
    settings: { guardrails: [{ command: PEAK, failAction: 'APPEND' }] },
    // At this level a guardrail is ralph's own child.
    level: 'group',
  });
  const { code } = await scene.shell('ralph run -p go | { dd bs=4k status=none | tail -n 1; } >last');
  expect(code).toBe(0);
  return Number(/\d+/.exec(scene.read('peak'))?.[0]) / 1024;
}

test('memory does not grow with the transcript, even if the output goes to a slow pipe', async () => {
  const small = await peakMegabytes(20_000);
  const large = await peakMegabytes(80_000);
  expect(large - small).toBeLessThan(40);
}, 120_000);

test('a line separator inside a JSON string does not end the line', async () => {
  const text = 'one\u2028two <response>DONE</response>';
  const scene = makeScene({
    agent: 'claude',
    play: `printf '%s\\n' '${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } })}' '${JSON.stringify({ type: 'result', is_error: false, result: text })}'`,
  });
  const { code, stderr } = await scene.run();
  expect(stderr).toContain('✓ Done in ');
  expect(code).toBe(0);
});

test('a reader that goes away does not stop the loop', async () => {
  const line = JSON.stringify({
    type: 'assistant',
    message: { content: [{ type: 'text', text: 'word '.repeat(400) }] },
  });
  const scene = makeScene({
    agent: 'claude',
    play: `yes '${line}' | head -n 20000; echo '${JSON.stringify({ type: 'result', is_error: false, result: 'ok' })}'`,
    settings: { guardrails: [{ command: 'echo checked >>"$SCENE/checks"', failAction: 'APPEND' }] },
  });
  await scene.shell('ralph run -p go -m 2 | head -n 1 >first');
  expect(scene.read('work/first')).toContain('word word');
  expect(scene.read('checks')).toBe('checked\nchecked\n');
});
