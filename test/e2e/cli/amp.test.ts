/** `ralph run` with Amp, a hosted agent: a fake executable of that name prints the documented stream. */
import { describe, expect, test } from 'vitest';
import { makeScene, PROMPT, type Scene, type SceneOptions } from '../../support/scene.ts';

const USAGE = {
  input_tokens: 12783,
  cache_creation_input_tokens: 367,
  cache_read_input_tokens: 12416,
  output_tokens: 8,
};
const assistant = (block: object): object => ({
  type: 'assistant',
  message: { type: 'message', role: 'assistant', content: [block], stop_reason: 'end_turn', usage: USAGE },
  parent_tool_use_id: null,
  session_id: 'T-1',
});
const INIT = { type: 'system', subtype: 'init', cwd: '/work', session_id: 'T-1', tools: ['Bash'], mcp_servers: [] };
const ECHO = {
  type: 'user',
  message: { role: 'user', content: [{ type: 'text', text: '<response>DONE</response>' }] },
};
const CALL = assistant({ type: 'tool_use', id: 'tu_1', name: 'Bash', input: { cmd: 'echo line >>work.txt' } });
const RETURNED = {
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'tu_1', content: 'ok', is_error: false }] },
};
const WORDS = assistant({ type: 'text', text: 'All done.\n<response>DONE</response>' });
const success = (result: string): object => ({
  type: 'result',
  subtype: 'success',
  duration_ms: 2906,
  is_error: false,
  num_turns: 2,
  result,
});
const FAILED = { type: 'result', subtype: 'error_during_execution', is_error: true, error: 'The thread was lost.' };

/** A scene whose agent records its arguments, does some work and plays the stream. */
function ampScene(stream: readonly object[], options: Partial<SceneOptions> = {}): Scene {
  const play = 'printf "%s\\n" "$@" >"$SCENE/argv"; echo line >>work.txt; cat "$SCENE/stream"';
  const scene = makeScene({ agent: 'amp', play, ...options });
  scene.write('stream', lines(...stream));
  return scene;
}

function lines(...values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

describe('a stream', () => {
  test('is shown and accounted for: the tag counts in its words, but not in the echo of the prompt', async () => {
    const scene = ampScene([INIT, ECHO, CALL, RETURNED, WORDS, success('All done.')]);
    const { code, stdout, stderr } = await scene.run('-m', '1');
    expect(stdout.split('\n')).toEqual([
      '⏺ Bash(echo line >>work.txt)',
      '✅ Result ← Bash (1 line, 2 chars)',
      '  ⎿  ok',
      'All done.',
      '<response>DONE</response>',
      '✅ Complete (tokens: 26K in (25K cached) / 16 out, tools: 1, errors: 0, time: 3s)',
      '',
    ]);
    expect(stderr).toContain('✓ Done in ');
    expect(code).toBe(0);
    expect(scene.read('argv')).toBe(`--stream-json\n--dangerously-allow-all\n-x\n${PROMPT}\n`);
  });

  test('without the tag in its words does not end the loop', async () => {
    const { code } = await ampScene([INIT, ECHO, success('Working.')]).run('-m', '1');
    expect(code).toBe(1);
  });

  test('can also contain the commit message', async () => {
    const scene = ampScene([WORDS, success('All done.')], {
      message: 'cat "$SCENE/said"',
      settings: { scm: { command: 'git', tasks: ['commit'] } },
    });
    scene.write('said', lines(assistant({ type: 'text', text: '<response>Add a line</response>' }), success('x')));
    expect(await scene.run('-m', '1')).toMatchObject({ code: 0 });
    expect(scene.git('log', '--format=%s')).toBe('Add a line\nbegin\n');
  });
});

describe('a failure', () => {
  test('in the closing line counts, whatever the agent said and whatever its exit code', async () => {
    const { code, stdout, stderr } = await ampScene([WORDS, FAILED]).run('-m', '1');
    expect(stdout).toContain('❌ Failed (');
    expect(stderr).toContain('The thread was lost.');
    expect(code).toBe(1);
  });

  test('to log in ends the loop', async () => {
    const play = `echo "Error: Invalid or missing API key. Run 'amp login' to authenticate." >&2; exit 1`;
    const { code, stderr } = await makeScene({ agent: 'amp', play }).run();
    expect(stderr).toContain('the agent could not authenticate');
    expect(code).toBe(4);
  });

  test.each([true, false])(
    'to log in that waits for a browser ends the loop, too (streamAgentOutput %s)',
    async (streamAgentOutput) => {
      const play = 'echo "No API key found. Starting login flow..."; echo "visit: https://x.example"; exec sleep 600';
      const scene = makeScene({ agent: 'amp', play, settings: { streamAgentOutput } });
      const { code, stderr } = await scene.run();
      expect(stderr).toContain('\n  it is not logged in');
      expect(code).toBe(4);
      expect(scene.starts()).toEqual(['agent 1/work/1']);
    },
  );
});

test('in text mode, amp is called without --stream-json, and its last message counts', async () => {
  const play = 'printf "%s\\n" "$@" >"$SCENE/argv"; echo "All done."; echo "<response>DONE</response>"';
  const scene = makeScene({ agent: 'amp', play, settings: { streamAgentOutput: false } });
  expect(await scene.run('-m', '1')).toMatchObject({ code: 0, stdout: '' });
  expect(scene.read('argv')).toBe(`--dangerously-allow-all\n-x\n${PROMPT}\n`);
});

test('a prompt that looks like a flag is passed on stdin', async () => {
  const scene = ampScene([], { play: 'printf "%s\\n" "$@" >"$SCENE/argv"; cat >"$SCENE/stdin"; cat "$SCENE/stream"' });
  scene.write('stream', lines(WORDS, success('All done.')));
  scene.write('work/prompt.md', '- fix it\n- test it\n');
  expect(await scene.ralph(['run', '-f', 'prompt.md', '-m', '1']).exited).toMatchObject({ code: 0 });
  expect(scene.read('argv')).toBe('--stream-json\n--dangerously-allow-all\n-x\n');
  expect(scene.read('stdin')).toContain('- fix it\n- test it');
});
