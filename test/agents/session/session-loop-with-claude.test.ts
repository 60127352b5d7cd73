/** The loop inside a session with the real Claude Code: the specification's acceptance tests, and known failures. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Script } from '../../../src/rehearsal/script/script.ts';
import { DONE } from '../../support/session/session-loop.ts';
import { installAgents } from '../scene.ts';
import { type ClaudeSession, claudeSession, SESSION } from './session-scene.ts';

const WORK = { tool: { name: 'Bash', input: { command: 'echo work >> notes.txt', description: 'Work' } } };
const NEVER: Script = { turns: [], otherwise: { say: 'Not yet.' } };
const HERE = ['--session-id', SESSION];
/** The session ends when the agent has been sent back for the first time. */
const CUT_OFF = ['--max-turns', '1'];
const AGAIN = ['--resume', SESSION];

let programs: string[];
let session: ClaudeSession;

beforeAll(() => {
  programs = installAgents('claude');
}, 600_000);

afterEach(() => session.scene.remove());

describe('acceptance', () => {
  test('Stops on promise', async () => {
    session = claudeSession(programs);
    const played = await session.play(
      { turns: [WORK, { say: `Finished. ${DONE}` }] },
      loop('"Do the work" --max-iterations 5'),
    );
    expect(played.notices).toContainEqual(expect.stringContaining('PROMISE_ACCEPTED at iteration 0'));
    expect(played.asked).toHaveLength(2);
    expect(played.asked[0]).toContain(
      'only when the task is fully done, output exactly this promise: <promise>DONE</promise>',
    );
    expect(session.log()).toMatch(/promise found, accepted; 1 tool calls so far; PROMISE_ACCEPTED\n$/);
  });

  test('Blocks exit without promise', async () => {
    session = claudeSession(programs);
    const script = { turns: [{ say: 'I’m done' }, WORK, { say: DONE }] };
    const played = await session.play(script, loop('"Do the work" --max-iterations 5'));
    expect(played.asked[1]).toContain(
      'You attempted to end the loop, but you did not output the completion promise <promise>DONE</promise>. Continue working on the original task below. Only output the promise when the task is fully complete.\n\nOriginal task: Do the work',
    );
    expect(played).toMatchObject({ unplayed: 0, results: [DONE] });
    expect(session.log()).toContain('iteration 1: promise not found');
  });

  test('Max iterations', async () => {
    session = claudeSession(programs);
    const played = await session.play(NEVER, loop('"Do the work" --max-iterations=3'));
    expect(played.notices).toContainEqual(expect.stringContaining('MAX_ITERATIONS_REACHED (3)'));
    expect(played.asked).toHaveLength(4);
    expect(session.log()).toMatch(/iteration 3: .*MAX_ITERATIONS_REACHED\n$/);
  });

  test('Bypass rejected', async () => {
    session = claudeSession(programs);
    const played = await session.play({ turns: [{ say: DONE }, WORK, { say: DONE }] }, loop('"Do the work"'));
    expect(played.asked[1]).toContain(
      'Promise detected, but no tool calls/work were performed; you must actually complete the task before emitting the promise.',
    );
    expect(played.asked).toHaveLength(3);
    // A Claude Code that is slow to write has no transcript yet when it stops for the first time.
    expect(session.log()).toMatch(/promise found, rejected: (?:0 tool calls, 1 needed|no sign of work)/);
    expect(session.log()).toContain('promise found, accepted; 1 tool calls so far');
  });

  test('Promise detector correctness', async () => {
    session = claudeSession(programs);
    const words = `A long report.\n\n\`\`\`\n${DONE}\n\`\`\`\nAnd a word after it.`;
    const played = await session.play(
      { turns: [WORK, { say: words }], otherwise: { say: 'lost' } },
      loop('"Do the work"'),
    );
    expect(played.results).toEqual([words]);
    expect(played.notices).toContainEqual(expect.stringContaining('PROMISE_ACCEPTED'));
  });
});

describe('known failures', () => {
  test('an unknown flag, a bad number or a missing task is refused with the usage, and the model is not asked', async () => {
    session = claudeSession(programs);
    const wrong = ['"x" --max-iteration=3', '"x" --max-iterations=0', '--max-iterations 3'];
    const played = await session.play(NEVER, ...wrong.map((args) => loop(args, [])));
    expect(played.asked).toEqual([]);
    expect(played.notices).toHaveLength(3);
    for (const notice of played.notices) expect(notice).toContain('Usage: /ralph:ralph-loop "<task>"');
    expect(existsSync(join(session.scene.state, 'ralph/loops'))).toBe(false);
  });

  test('quotes, --- lines, backticks, $(…) and ! arrive unchanged, and no shell sees them', async () => {
    session = claudeSession(programs);
    const task =
      'Say "hi" and \'bye\' `touch ran` $(touch ran) $HOME !touch ran !! \\ \\n\n---\nname: x\n---\n$ARGUMENTS $1 @notes.txt 100%';
    const played = await session.play(
      { turns: [{ say: 'no' }, WORK, { say: DONE }] },
      loop(`"${task}" --max-iterations 3`),
    );
    expect(played.asked[0]).toContain(`The task:\n${task}\n\nStopping rule`);
    expect(played.asked[1]).toContain(`Original task: ${task}`);
    expect(readFileSync(join(session.folder(), 'task.txt'), 'utf8')).toBe(task);
    expect(existsSync(join(session.scene.work, 'ran'))).toBe(false);
  });

  test('a task of 100 KB: the agent gets it whole, and every continuation names the file that contains it', async () => {
    session = claudeSession(programs);
    const task = 'word "q" `b` $(c) !d\n---\n'.repeat(4000).trim();
    const played = await session.play(
      { turns: [{ say: 'no' }, WORK, { say: DONE }] },
      loop(`"${task}" --max-iterations 3`),
    );
    expect(readFileSync(join(session.folder(), 'task.txt'), 'utf8')).toBe(task);
    expect(played.asked[0]).toContain(`<command-args>"${task}" --max-iterations 3</command-args>`);
    const [, file = 'none'] = /characters\. The file (\S+) contains it in full/.exec(played.asked[0] ?? '') ?? [];
    expect(played.asked[1]?.split(file)).toHaveLength(4);
    expect(played.notices).toContainEqual(expect.stringContaining('PROMISE_ACCEPTED'));
  });

  test.each([
    ['as they are', []],
    ['that never ask', ['--permission-mode', 'dontAsk']],
  ])('the agent can read the file of a long task, with permissions %s', async (_what, permissions) => {
    session = claudeSession(programs, {}, permissions);
    const conf = join(session.scene.folder, 'conf');
    const task = `Read the notes. ${'word '.repeat(4200)}THE END`;
    const projects = join(conf, 'projects', session.scene.work.replaceAll(/[^A-Za-z0-9]/g, '-'));
    const file = join(projects, SESSION, 'tool-results', `session-${SESSION}-task.txt`);
    const read = { name: 'Read', input: { file_path: file } };
    await session.play(
      { turns: [{ say: 'no' }, { tool: read }, { say: DONE }], otherwise: { say: 'lost' } },
      ['sh:', `cp -r "$CLAUDE_CONFIG_DIR" '${conf}'; export CLAUDE_CONFIG_DIR='${conf}'`],
      loop(`"${task}" --max-iterations 3`),
    );
    expect(session.log()).toMatch(/promise found, accepted; 1 tool calls so far; PROMISE_ACCEPTED\n$/);
    const transcript = readFileSync(join(projects, `${SESSION}.jsonl`), 'utf8').split('\n');
    const answer = transcript.find((line) => line.includes('"tool_result"')) ?? '';
    expect(answer).toContain('THE END');
  });

  test('a tool call that was denied does not count as work', async () => {
    session = claudeSession(programs, {}, []);
    const write = { name: 'Write', input: { file_path: join(session.scene.work, 'made.txt'), content: 'x' } };
    const look = { name: 'Bash', input: { command: 'ls', description: 'Look' } };
    const played = await session.play(
      { turns: [{ tool: write }, { say: DONE }, { tool: look }, { say: DONE }], otherwise: { say: 'lost' } },
      loop('"Do the work"'),
    );
    expect(played.asked[2]).toContain('Promise detected, but no tool calls/work were performed');
    expect(session.log()).toContain('promise found, rejected: 0 tool calls, 1 needed');
    expect(session.log()).toMatch(/promise found, accepted; 1 tool calls so far; PROMISE_ACCEPTED\n$/);
  });

  test('without a transcript, tools that ran are evidence of work, and denied ones are not', async () => {
    session = claudeSession(programs, {}, []);
    const write = { name: 'Write', input: { file_path: join(session.scene.work, 'made.txt'), content: 'x' } };
    const fails = { name: 'Bash', input: { command: 'false', description: 'Try' } };
    const played = await session.play(
      { turns: [{ tool: write }, { say: DONE }, { tool: fails }, { say: DONE }], otherwise: { say: 'lost' } },
      [...loop('"Do the work"'), '--no-session-persistence'],
    );
    expect(session.log()).toContain('promise found, rejected: no sign of work');
    expect(session.log()).toMatch(/promise found, accepted; 1 tool calls so far; PROMISE_ACCEPTED\n$/);
    expect(played.results.at(-1)).toBe(DONE);
  });

  test('a promise given while the loop waited at the cap does not count when the loop continues', async () => {
    session = claudeSession(programs, { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '1' });
    const turns = [{ say: 'a' }, { say: 'b' }, WORK, { say: DONE }, { say: 'Not done yet.' }, { say: DONE }];
    const played = await session.play(
      { turns, otherwise: { say: 'lost' } },
      loop('"Do the work"'),
      ['Do something', ...AGAIN],
      ['/ralph:ralph-loop --resume', ...AGAIN],
    );
    expect(played.notices).toContainEqual(expect.stringContaining('The promise was not judged'));
    expect(session.log()).toMatch(/resumed\n.*promise not found.*sent back\n.*PROMISE_ACCEPTED\n$/);
  });

  test('a stop to wait for a background task is not counted', async () => {
    session = claudeSession(programs);
    const input = { command: 'until [ -e go ]; do sleep 0.1; done', description: 'Wait', run_in_background: true };
    const go = { name: 'Bash', input: { command: 'touch go', description: 'Go' } };
    const turns = [{ tool: { name: 'Bash', input } }, { say: 'I wait.' }, { tool: go }, { say: DONE }];
    const played = await session.play({ turns, otherwise: { say: 'lost' } }, loop('"Do the work"'));
    expect(played.asked[2]).toContain('Still running in the background:\n- until [ -e go ]');
    expect(session.log()).toMatch(
      /iteration 0: .*still running in the background; not counted.*\n.*iteration 0: promise found, accepted/,
    );
  });

  test('a promise does not count in a tool’s output, in the echo of the prompt, in another case or with spaces', async () => {
    session = claudeSession(programs);
    const shown = { name: 'Bash', input: { command: `echo '${DONE}'`, description: 'Show' } };
    const turns = [
      { tool: shown },
      { say: 'Shown.' },
      { say: '<promise>done</promise>' },
      { say: '<promise> DONE </promise>' },
    ];
    const played = await session.play({ turns, otherwise: { say: 'no' } }, loop(`"Show ${DONE}" --max-iterations 3`));
    expect(session.log().match(/promise not found/g)).toHaveLength(4);
    expect(played.notices.at(-1)).toContain('MAX_ITERATIONS_REACHED');
  });

  test('a promise beside the last tool call counts, even if nothing follows it', async () => {
    session = claudeSession(programs);
    const turns = [{ say: DONE, ...WORK }, { say: ' ' }];
    const played = await session.play({ turns, otherwise: { say: 'lost' } }, loop('"Do the work"'));
    expect(played.notices.at(-1)).toContain('PROMISE_ACCEPTED');
  });

  test('a subagent’s promise is not the session’s, and a subagent can stop', async () => {
    session = claudeSession(programs);
    const input = { description: 'sub', prompt: 'SUBTASK', subagent_type: 'general-purpose' };
    const script: Script = {
      turns: [{ tool: { name: 'Agent', input } }, { match: 'SUBTASK', say: DONE }],
      otherwise: { say: 'Not yet.' },
    };
    const played = await session.play(script, loop('"Delegate" --max-iterations 2'));
    expect(played.notices.at(-1)).toContain('MAX_ITERATIONS_REACHED');
    expect(session.log()).not.toContain('promise found');
    expect(
      played.asked.filter(
        (text) =>
          text.includes('SUBTASK') && text.includes('You attempted to end the loop') && !text.includes('Delegate'),
      ),
    ).toEqual([]);
  });

  test('another session in the same folder, and a later one after a crash, can stop', async () => {
    session = claudeSession(programs);
    const script: Script = {
      turns: [{ say: 'one' }, { match: 'Original task', fault: { stall: 'before' } }],
      otherwise: { say: 'Bye.' },
    };
    const crash =
      'claude -p \'/ralph:ralph-loop "Do the work"\' --session-id %s --plugin-dir %p --dangerously-skip-permissions & '
        .replace('%s', SESSION)
        .replace('%p', join(import.meta.dirname, '../../../plugin'));
    const wait = `until grep -q 'iteration 1' "$XDG_STATE_HOME"/ralph/loops/*/loop.log 2>/dev/null; do sleep 0.05; done; kill -9 $!; wait`;
    const played = await session.play(script, ['sh:', crash, wait], ['Hello']);
    expect(played.results).toEqual(['Bye.']);
    expect(played.asked.at(-1)).not.toContain('You are in a Ralph loop');
    expect(session.log().match(/sent back/g)).toHaveLength(1);
  });

  test('a corrupt state lets the session stop, with a message', async () => {
    session = claudeSession(programs);
    const spoil = {
      name: 'Bash',
      input: {
        command: 'for f in "$XDG_STATE_HOME"/ralph/loops/*/journal.jsonl; do echo x > "$f"; done',
        description: 'Spoil',
      },
    };
    const played = await session.play(
      { turns: [{ tool: spoil }, { say: 'no' }], otherwise: { say: 'held' } },
      loop('"Do the work"'),
    );
    expect(played.results).toEqual(['no']);
    expect(played.notices.at(-1)).toContain("the journal of this session's loop is damaged");
  });

  test('the cap ends the turn: CAP_REACHED; the resumed session continues with --resume', async () => {
    session = claudeSession(programs);
    const first = await session.play(NEVER, loop('"Do the work" --max-iterations 20'), [
      '/ralph:ralph-loop --resume',
      ...AGAIN,
    ]);
    expect(first.notices[0]).toContain('"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "21"');
    const capped = first.notices.filter((notice) => notice.includes('CAP_REACHED at iteration'));
    expect(capped).toHaveLength(2);
    expect(capped[0]).toContain('CAP_REACHED at iteration 8');
    // The commands have the names that this session knows.
    expect(capped[0]).toContain('To continue, run: /ralph:ralph-loop --resume');
    expect(first.notices[0]).toContain(
      '/ralph:ralph-status shows it, /ralph:cancel-ralph (while it works, after Esc) ends it.',
    );
    expect(capped[1]).toContain('CAP_REACHED at iteration 17');
    expect(first.asked).toHaveLength(18);
  });

  test('if the settings raise the cap, the loop runs its N iterations', async () => {
    session = claudeSession(programs);
    const settings = ['--settings', '{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"13"}}'];
    const played = await session.play(NEVER, [...loop('"Do the work" --max-iterations 12'), ...settings]);
    expect(played.notices.at(-1)).toContain('MAX_ITERATIONS_REACHED (12)');
    expect(played.notices.join('\n')).not.toContain('Note: claude overrules');
    expect(played.asked).toHaveLength(13);
  });

  test('empty answers are answers: the loop runs its N iterations', async () => {
    session = claudeSession(programs);
    const played = await session.play({ turns: [], otherwise: { say: ' ' } }, loop('"Do the work" --max-iterations 3'));
    expect(played.notices.at(-1)).toContain('MAX_ITERATIONS_REACHED (3)');
  });

  test('a promise after the last continuation is not judged, and the notice says so', async () => {
    session = claudeSession(programs);
    const played = await session.play(
      { turns: [{ say: 'no' }, WORK, { say: DONE }] },
      loop('"Do the work" --max-iterations 1'),
    );
    expect(played.notices.at(-1)).toContain(
      'MAX_ITERATIONS_REACHED (1): the promise was given in the last turn and was',
    );
  });

  test('three continuations without progress are reported, and --stuck-after ends the loop', async () => {
    session = claudeSession(programs);
    const played = await session.play(NEVER, loop('"Do the work" --stuck-after 4'));
    expect(played.asked.at(-1)).toContain('The last 3 continuations brought no tool call or the same reply');
    expect(played.notices.at(-1)).toContain('STUCK at iteration 4');
  });
});

describe('also', () => {
  test('a loop continues after the session was closed and resumed, and after a compaction', async () => {
    session = claudeSession(programs);
    const played = await session.play(
      NEVER,
      [...loop('"Do the work" --max-iterations 2'), ...CUT_OFF],
      ['/compact', ...AGAIN],
      ['Go on, please', ...AGAIN],
    );
    expect(played.notices.at(-1)).toContain('MAX_ITERATIONS_REACHED');
    const last = played.asked.at(-1) ?? '';
    expect(last).toContain('You are in a Ralph loop.');
    expect(last).toContain('Go on, please');
  });

  test('the hook runs the checks, and their output is in the continuation', async () => {
    session = claudeSession(programs);
    const script = {
      turns: [
        WORK,
        { say: DONE },
        { tool: { name: 'Bash', input: { command: 'touch good', description: 'x' } } },
        { say: DONE },
      ],
    };
    const played = await session.play(
      script,
      loop('"Do the work" --check "test -e good || { echo not good yet; exit 4; }"'),
    );
    expect(played.asked[2]).toContain('Promise detected, but a check failed');
    expect(played.asked[2]).toContain('not good yet');
    expect(played.notices.at(-1)).toContain('all checks passed, accepted');
  });

  test('/ulw-loop puts its instruction before every continuation, as text', async () => {
    session = claudeSession(programs);
    const played = await session.play(NEVER, ['/ralph:ulw-loop "Do the work" --max-iterations 1', ...HERE]);
    expect(played.asked[1]).toMatch(/Stop hook feedback:\nUltrawork mode: .*\n\nYou attempted to end the loop/);
    expect(played.asked[0]).not.toContain('Ultrawork mode');
  });

  test('/ralph-status and /cancel-ralph answer without the model', async () => {
    session = claudeSession(programs);
    const played = await session.play(
      { turns: [], otherwise: { say: 'Free.' } },
      [...loop('"Do the work"'), ...CUT_OFF],
      ['/ralph:ralph-status', ...AGAIN],
      ['/ralph:cancel-ralph', ...AGAIN],
      ['Hello', ...AGAIN],
      ['/ralph:cancel-ralph'],
    );
    const said = played.notices.filter((notice) => notice.startsWith('Operation stopped by hook: '));
    expect(said[0]).toContain('Ralph loop: ACTIVE, iteration 1 of at most 100');
    expect(said[0]).toContain(join(session.folder(), 'loop.log'));
    expect(said[1]).toMatch(
      /^Operation stopped by hook: Cancelled Ralph loop \(was at iteration 1\)\n✗ Stopped after 1/,
    );
    expect(said[2]).toBe('Operation stopped by hook: No active Ralph loop found.');
    expect(played.results.at(-2)).toBe('Free.');
  });

  test('with two copies of the hooks, the plugin’s and the settings’, every stop counts once', async () => {
    session = claudeSession(programs);
    const script = join(import.meta.dirname, '../../../dist/hooks/session-loop.cjs');
    const hooks = [{ hooks: [{ type: 'command', command: process.execPath, args: [script, 'claude'] }] }];
    const settings = join(session.scene.folder, 'settings.json');
    writeFileSync(settings, JSON.stringify({ hooks: { Stop: hooks, UserPromptExpansion: hooks } }));
    session.scene.write('.claude/commands/ralph-loop.md', '---\ndescription: loop\n---\nSee the context.\n');
    const played = await session.play(NEVER, [
      '/ralph-loop "Do the work" --max-iterations=2',
      ...HERE,
      '--settings',
      settings,
    ]);
    expect(played.asked).toHaveLength(3);
    expect(session.log().match(/sent back/g)).toHaveLength(2);
    expect(played.notices.filter((notice) => notice.includes('Ralph loop started'))).toHaveLength(1);
  });
});

function loop(args: string, more: readonly string[] = HERE): string[] {
  return [`/ralph:ralph-loop ${args}`, ...more];
}
