/** `ralph run` as users run it: the built binary, a real repository, agents that are real programs. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DONE, makeScene, PROMPT } from '../support/scene.ts';

/** A check that fails in the first iteration, with some output. */
const SECOND_TIME = 'echo "lines: $(grep -c line work.txt)"; test "$(grep -c line work.txt)" -ge 2';
const SECOND_TIME_SLUG = 'echo_lines_grep_c_line_work_txt_test_grep_c_line_w';
const ISOLATION = '  isolation  none, the agent can do whatever you can';
const rule = (what: string): string => `── ${what} `.padEnd(72, '─');

describe('what it shows', () => {
  test('the loop on stderr and the agent on stdout, in the order of events', async () => {
    const play = `echo "words $n"; echo line >>work.txt; ${DONE}`;
    const guardrails = [{ command: SECOND_TIME, failAction: 'append' }];
    const scm = { command: 'git', tasks: ['commit'] };
    const scene = makeScene({ play, settings: { guardrails, scm } });
    const { code, stdout } = await scene.shell(`ralph run -p "${PROMPT}" -m 5 2>&1`);
    const commit = scene.git('rev-parse', 'HEAD').slice(0, 7);
    const loop = scene.loops()[0]?.slice(-8, -4);
    expect(stdout.split('\n')).toEqual([
      `ralph · ${PROMPT}`,
      ISOLATION,
      '  agent      agent',
      expect.stringMatching(/^ {2}checks {5}echo "lines: .*…$/),
      '  commits    the agent is called again for each message  (scm.message)',
      '  limits     5 iterations              (-m)',
      `  loop       ${loop}                      ralph logs ${loop} -f`,
      '',
      'Before the first iteration:',
      '! the prompt does not ask for <response>DONE</response>',
      '    without that answer the loop continues to its limit',
      '',
      rule('1/5'),
      'words 1',
      '<response>DONE</response>',
      '',
      expect.stringMatching(/^✗ echo "lines: .*… {2}exit 1 {3,}\d\.\ds$/),
      '    lines: 1',
      `    .ralph/guardrail_001_${SECOND_TIME_SLUG}.log`,
      '✗ DONE rejected: echo "lines: $(grep -c line work.txt)"; test "$(grep -c line',
      '  work.txt)" -ge 2 is red. The failure goes into the next prompt.',
      '',
      rule('2/5'),
      'words 2',
      '<response>DONE</response>',
      '',
      expect.stringMatching(/^✓ echo "lines: .*… {15,}\d\.\ds$/),
      `✓ committed ${commit}  Commit of iteration 2  1 file, +2 −0`,
      'Usage: 3 runs, 1 of them for the commit message, cost unknown',
      '',
      expect.stringMatching(/^✓ Done in 2 iterations · \d+s · cost unknown · checked in the agent's work tree$/),
      expect.stringMatching(/^ {2}Passed: echo "lines: /),
      '  work.txt)" -ge 2.',
      `  Everything is committed except .ralph/ (HEAD is ${commit}).`,
      '',
      '  #  outcome        checks  time  commit',
      expect.stringMatching(/^ {2}1 {2}DONE rejected {2}1 ✗ +\ds {2}–$/),
      expect.stringMatching(new RegExp(`^ {2}2 {2}done {11}1 ✓ +\\ds {2}${commit}$`)),
      '',
      '  git log --stat -3   the latest commits',
      `  ralph show ${loop}     the whole story`,
      '',
    ]);
    expect(code).toBe(0);
  });

  test('only the agent on stdout, only the loop and the agent’s own stderr on stderr', async () => {
    const scene = makeScene({ play: `echo "to stdout"; echo "to stderr" >&2; ${DONE}` });
    const { stdout, stderr } = await scene.run();
    expect(stdout).toBe('to stdout\n<response>DONE</response>\n');
    const [frame, closing] = stderr.split('\n\n✓ ');
    expect(frame?.split('\n').slice(-3)).toEqual([rule('1/10'), 'to stderr', 'Usage: 1 run, cost unknown']);
    expect(closing).toMatch(/^Done in 1 iteration · /);
  });

  test.each([
    ['stdout', '', '1\n'],
    ['both', '2>&1', `ralph · ${PROMPT}\n`],
  ])('a reader of %s that goes away (`ralph run | head -1`) does not break the loop', async (_what, merge, first) => {
    const scene = makeScene({ play: `seq 1 20000; [ $n = 1 ] || ${DONE}` });
    const { stdout } = await scene.shell(`{ ralph run -p "${PROMPT}" ${merge}; echo $? >code; } | head -n 1`);
    expect(stdout).toBe(first);
    expect(scene.read('work/code')).toBe('0\n');
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 2/work/1']);
  });
});

describe('guardrails', () => {
  const message = (command: string, log: string, output: string, hint = ''): string =>
    `Guardrail "${command}" failed with exit code 1.\n${hint}Output file: .ralph/${log}\nOutput (truncated):\n${output}`;

  test.each([
    ['APPEND', (failure: string) => `${PROMPT}\n\n${failure}`],
    ['PREPEND', (failure: string) => `${failure}\n\n${PROMPT}`],
    ['REPLACE', (failure: string) => failure],
  ])('a failure reaches the next prompt by %s, and not the one after it', async (failAction, expected) => {
    const guardrails = [{ command: SECOND_TIME, failAction, hint: 'Add a "line".' }];
    const scene = makeScene({ play: `echo line >>work.txt; [ $n -lt 3 ] || ${DONE}`, settings: { guardrails } });
    expect(await scene.run()).toMatchObject({ code: 0 });
    expect(scene.promptOf('1/work/1')).toBe(PROMPT);
    const log = `guardrail_001_${SECOND_TIME_SLUG}.log`;
    expect(scene.promptOf('2/work/1')).toBe(expected(message(SECOND_TIME, log, 'lines: 1\n', 'Hint: Add a "line".\n')));
    expect(scene.promptOf('3/work/1')).toBe(PROMPT);
    expect(scene.read(`work/.ralph/${log}`)).toBe('lines: 1\n');
    expect(scene.read(`work/.ralph/guardrail_003_${SECOND_TIME_SLUG}.log`)).toBe('lines: 3\n');
  });

  test('all run even after one has failed, and their messages are added in the order of the settings', async () => {
    const commands = ['echo one; false', 'true', 'echo two >&2; exit 1', 'echo one, false'];
    const failActions = ['APPEND', 'APPEND', 'PREPEND', 'APPEND'];
    const guardrails = commands.map((command, index) => ({ command, failAction: failActions[index] }));
    const scene = makeScene({ play: DONE, settings: { guardrails } });
    expect(await scene.run('-m', '2')).toMatchObject({ code: 1 });
    const one = message('echo one; false', 'guardrail_001_echo_one_false.log', 'one\n');
    const two = message('echo two >&2; exit 1', 'guardrail_001_echo_two_2_exit_1.log', 'two\n');
    expect(scene.promptOf('2/work/1')).toBe(`${two}\n\n${PROMPT}\n\n${one}`);
    expect(scene.read('work/.ralph/guardrail_001_true.log')).toBe('');
    expect(scene.read('work/.ralph/guardrail_002_echo_one_false_1.log')).toBe('one, false\n');
  });

  test('the output of a failure is cut to outputTruncateChars characters; the log has all of it', async () => {
    const guardrails = [{ command: 'printf 12345🙂7890; false', failAction: 'REPLACE' }];
    const scene = makeScene({ play: DONE, settings: { guardrails, outputTruncateChars: 6 } });
    await scene.run('-m', '2');
    expect(scene.promptOf('2/work/1').split('\n').at(-1)).toBe('12345🙂... [truncated]');
    expect(scene.read('work/.ralph/guardrail_001_printf_12345_7890_false.log')).toBe('12345🙂7890');
    const whole = makeScene({ play: DONE, settings: { guardrails, outputTruncateChars: 10 } });
    await whole.run('-m', '2');
    expect(whole.promptOf('2/work/1').split('\n').at(-1)).toBe('12345🙂7890');
  });

  test('a NUL byte or an escape sequence in its output does not keep the next iteration from starting', async () => {
    const guardrails = [{ command: String.raw`printf 'a\000b\033c\td\n'; false`, failAction: 'REPLACE' }];
    const scene = makeScene({ play: DONE, settings: { guardrails } });
    expect(await scene.run('-m', '2')).toMatchObject({ code: 1 });
    expect(scene.promptOf('2/work/1').split('\n').at(-2)).toBe('a\uFFFDb\uFFFDc\td');
  });

  test('neither does a NUL byte in the prompt file', async () => {
    const scene = makeScene({ play: DONE });
    scene.write('work/task', 'a\0b\r\n');
    expect(await scene.ralph(['run', '-f', 'task']).exited).toMatchObject({ code: 0 });
    expect(scene.promptOf('1/work/1')).toBe('a\uFFFDb\r\n');
  });

  test('a limit of characters far above the available memory is fine', async () => {
    const guardrails = [{ command: 'echo short; false', failAction: 'REPLACE' }];
    const scene = makeScene({ play: DONE, settings: { guardrails, outputTruncateChars: 4_000_000_000 } });
    expect(await scene.run('-m', '2')).toMatchObject({ code: 1 });
    expect(scene.promptOf('2/work/1')).toContain('short');
  });
});

describe('done', () => {
  test('counts only after green guardrails, in upper or lower case, and never from an echo of the prompt', async () => {
    // First it is said, but a check is red; then green, but only echoed; then both.
    const play = 'echo "$prompt"; [ $n = 2 ] || echo "so: <RESPONSE>done</response>"; echo line >>work.txt';
    const guardrails = [{ command: SECOND_TIME, failAction: 'APPEND' }];
    const scene = makeScene({ play, settings: { guardrails } });
    const args = ['run', '-m', '9', '-p', 'Work.\nThen answer <response>DONE</response>.'];
    expect(await scene.ralph(args).exited).toMatchObject({ code: 0 });
    expect(scene.starts()).toHaveLength(3);
  });

  test('does not count from a subagent, but does from a final result if no message contained it', async () => {
    const ofSubagent = { message: { content: [{ type: 'text', text: '<response>DONE</response>' }] } };
    const line = JSON.stringify({ type: 'assistant', ...ofSubagent, parent_tool_use_id: 'toolu_1' });
    const play = `case $n in 1) echo '${line}'; claude_result "I asked a subagent." ;; *) claude_result "<response>DONE</response>" ;; esac`;
    const scene = makeScene({ agent: 'claude', play });
    const { code, stdout } = await scene.run();
    expect(code).toBe(0);
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 2/work/1']);
    expect(stdout.split('\n').filter((shown) => !shown.startsWith('✅'))).toEqual([
      'I asked a subagent.',
      '<response>DONE</response>',
      '',
    ]);
  });

  test('an agent that only repeats its prompt reaches the limit: exit 1', async () => {
    const scene = makeScene({ play: 'echo "I was told: $prompt"' });
    const { code, stderr } = await scene.ralph(['run', '-m', '2', '-p', 'Say <response>DONE</response>']).exited;
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /\n✗ Stopped at the limit of 2 iterations · [\s\S]*\n {2}ralph resume \S+ -m 4 +continue with more iterations\n {2}ralph show \S+ +the whole story\n$/,
    );
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 2/work/1']);
  });

  test('a failing agent that says DONE is never done; five failures in a row with growing pauses: exit 3', async () => {
    const scene = makeScene({ play: `${DONE}; exit 7` });
    const { code, stderr } = await scene.run('--maximum-iterations', '20');
    expect(code).toBe(3);
    expect(stderr.match(/Agent failed \(exit 7\)/g)).toHaveLength(5);
    expect(stderr).toMatch(/\n✗ Stopped after 5 iterations: the agent failed 5 times in a row · /);
    expect(scene.starts()).toHaveLength(5);
    const records = scene.journal();
    const pauses = records.flatMap(({ at, result }, index) =>
      result.kind === 'waited' ? [at - (records[index - 1]?.at ?? 0)] : [],
    );
    expect(pauses).toHaveLength(4);
    // A timer can fire up to a millisecond early.
    for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThanOrEqual(10 * 2 ** index - 1);
  });

  test('the closing lines say why the limit was reached: what the agent said, what stayed red', async () => {
    const guardrails = [{ command: 'false', failAction: 'APPEND' }];
    const scene = makeScene({ play: DONE, settings: { guardrails } });
    const { code, stderr } = await scene.run('-m', '3');
    expect(code).toBe(1);
    expect(stderr.match(/^✗ DONE rejected: false is red\./gm)).toHaveLength(3);
    // There is no prompt after the last iteration.
    expect(stderr.match(/goes into the next prompt/g)).toHaveLength(2);
    expect(stderr).toMatch(
      /\n✗ Stopped at the limit of 3 iterations · .*\n {2}"false" stayed red \(exit 1, log \.ralph/,
    );
    expect(stderr).toContain('/guardrail_003_false.log).\n  The agent said DONE 3 times.\n');
  });

  test('a tag with spaces in it does not match, and a warning says so', async () => {
    const scene = makeScene({ play: 'echo "<response> DONE </response>"' });
    const { code, stderr } = await scene.run('-m', '1');
    expect(code).toBe(1);
    const said = 'he agent said <response> DONE </response>; only <response>DONE</response>';
    expect(stderr.replaceAll('\n  ', ' ')).toContain(`warning: t${said} counts, without spaces`);
    expect(stderr).toContain(`  T${said}\n`);
  });

  test('the closing lines show the message of an agent that refuses its flags', async () => {
    const play = `echo "error: unknown option '--frobnicate'" >&2; echo "Try --help" >&2; exit 2`;
    const scene = makeScene({ play });
    const { code, stderr } = await scene.run();
    expect(code).toBe(3);
    expect(stderr).toMatch(/\n✗ Stopped after 5 iterations: /);
    expect(stderr).toMatch(/\n {2}The last failure: exit 2: error: unknown option '--frobnicate'\n.*agent\.flags/s);
  });

  test.each([
    ['is not there', 'no-such-program --check', 127, []],
    ['may not be executed', './check', 126, ['work/check']],
  ])(
    'a guardrail that %s ends the loop if the agent does nothing about it: exit 2',
    async (_what, command, exit, files) => {
      const guardrails = [{ command, failAction: 'APPEND' }];
      const scene = makeScene({ play: `[ $n != 1 ] || echo x >new.txt; ${DONE}`, settings: { guardrails } });
      for (const file of files) scene.write(file, '#!/bin/sh\n');
      const { code, stderr } = await scene.run();
      expect(code).toBe(2);
      expect(scene.starts()).toHaveLength(2);
      expect(stderr).toContain(`\nerror: guardrail "${command}" could not be run twice in a row (exit ${exit}: `);
      expect(stderr).toMatch(/\nhint: .*guardrails in \.ralph\/settings\.json.*\.ralph\/guardrail_002/);
    },
  );

  test('a guardrail program that the agent writes later is used', async () => {
    const guardrails = [{ command: './check', failAction: 'APPEND' }];
    const play = `echo $n >>work.txt; [ $n -lt 3 ] || { printf '#!/bin/sh\n' >check; chmod +x check; }; ${DONE}`;
    const scene = makeScene({ play, settings: { guardrails } });
    expect(await scene.run()).toMatchObject({ code: 0 });
    expect(scene.starts()).toHaveLength(3);
  });

  test('failures that are not in a row do not add up', async () => {
    const scene = makeScene({ play: `[ $n = 8 ] && ${DONE}; [ $((n % 4)) = 0 ] || exit 1` });
    expect(await scene.run('-m', '20')).toMatchObject({ code: 0 });
    expect(scene.starts()).toHaveLength(8);
  });
});

describe('commits', () => {
  const scm = { command: 'git', tasks: ['commit'] };
  const NASTY = `Fix "quotes", 'ticks' & \`id\`; $(touch pwned) $HOME | * > out \\n %s #1`;

  test('a message full of shell metacharacters arrives verbatim', async () => {
    const message = `cat <<'END'\n\n  ${NASTY}\nmore\nEND`;
    const scene = makeScene({ play: `echo line >>work.txt; ${DONE}`, message, settings: { scm } });
    expect(await scene.run()).toMatchObject({ code: 0 });
    expect(scene.git('log', '-1', '--format=%B').trim()).toBe(NASTY);
    expect(scene.git('status', '--porcelain', '--untracked-files=no')).toBe('');
    expect(readdirSync(scene.work).sort()).toEqual(['.git', '.ralph', 'work.txt']);
    expect(scene.promptOf('1/message/1')).toMatch(/^Provide a short imperative commit message for the changes\./);
  });

  test('are not made while a guardrail is red, or without a message', async () => {
    const guardrails = [{ command: 'test $(wc -l <work.txt) -ge 3', failAction: 'APPEND' }];
    const settings = { scm, guardrails };
    const scene = makeScene({ play: `echo line >>work.txt; ${DONE}`, message: 'echo "  "', settings });
    const { code, stderr } = await scene.run();
    expect(code).toBe(11);
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 2/work/1', 'agent 2/message/1']);
    expect(scene.git('log', '--format=%s')).toBe('begin\n');
    expect(stderr).toMatch(/✗ nothing is committed: no commit message/);
  });

  test('do not include the logs of ralph, even without a .gitignore', async () => {
    const guardrails = [{ command: 'echo hello', failAction: 'APPEND' }];
    const scene = makeScene({ play: DONE, settings: { guardrails } });
    await scene.run();
    expect(scene.read('work/.git/info/exclude').split('\n')).toContain('**/.ralph/*.log');
    expect(scene.git('status', '--porcelain', '--untracked-files=all')).toBe('?? .ralph/settings.json\n');
  });
});

describe('the state folder', () => {
  const secret = 'sk-ant-api03-very-secret-0123456789';

  test('never holds the environment', async () => {
    const guardrails = [{ command: 'test -n "$ANTHROPIC_API_KEY"', failAction: 'APPEND' }];
    const scm = { command: 'git', tasks: ['commit'] };
    const play = `test -n "$ANTHROPIC_API_KEY" && echo line >>work.txt && ${DONE}`;
    const scene = makeScene({ play, settings: { guardrails, scm }, env: { ANTHROPIC_API_KEY: secret } });
    expect(await scene.run('-m', '1')).toMatchObject({ code: 0 });
    const found = await scene.shell(`grep -rlF -e '${secret}' -e ANTHROPIC_API_KEY= "$XDG_STATE_HOME"`);
    expect(found).toMatchObject({ code: 1, stdout: '' });
  });

  test('is private, whatever the umask', async () => {
    const scm = { command: 'git', tasks: ['commit'] };
    const guardrails = [{ command: 'true', failAction: 'APPEND' }];
    const scene = makeScene({ play: `echo line >>work.txt; ${DONE}`, settings: { guardrails, scm } });
    expect(await scene.shell(`umask 0; ralph run -p "${PROMPT}"`)).toMatchObject({ code: 0 });
    const entries = readdirSync(scene.state, { recursive: true, withFileTypes: true });
    const open = entries.filter((entry) => (lstatSync(join(entry.parentPath, entry.name)).mode & 0o077) !== 0);
    expect(entries.length).toBeGreaterThan(10);
    expect([...new Set(open.map(({ name }) => name))]).toEqual([]);
  });
});
