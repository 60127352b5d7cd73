import { describe, expect, test } from 'vitest';
import { type CommandLine, readCommandLine } from './command-line.ts';
import { SESSION_DEFAULTS, type SessionRequest } from './request.ts';

const BEHIND = 'text after the value of';
const IN_QUOTES = '(put the value in quotes, and a task that follows, too)';

describe('the task', () => {
  test.each([
    ['in double quotes', '"Fix it"', 'Fix it'],
    ['in single quotes', "'Fix it'", 'Fix it'],
    ['without quotes', 'Fix   it  now', 'Fix   it  now'],
    ['over lines', '"one\n---\ntwo\n"', 'one\n---\ntwo\n'],
    ['of lines, without quotes', 'one\n---\n- two\n\n  three', 'one\n---\n- two\n\n  three'],
    ['with quotes inside of quotes', '"say "hi" and "bye" now"', 'say "hi" and "bye" now'],
    ['with a quote at its end', '"say "hi""', 'say "hi"'],
    ['with an inch', '"a 5" screw"', 'a 5" screw'],
    ['with an apostrophe', '"it\'s done"', "it's done"],
    ['that begins with an apostrophe', "'tis the season", "'tis the season"],
    ['with escaped quotes, which stay as they are', '"a \\"b\\" c"', 'a \\"b\\" c'],
    [
      'with what a shell would run',
      '"$HOME $(id) `ls` !! !x \\n && rm -rf /"',
      '$HOME $(id) `ls` !! !x \\n && rm -rf /',
    ],
    ['with a flag in its quotes', '"explain --max-iterations 3 to me"', 'explain --max-iterations 3 to me'],
    ['with a quoted word before a dashed one', '"use "ls" -l and "wc" -c to list"', 'use "ls" -l and "wc" -c to list'],
    ['with a quoted word at its beginning', '""ls" -l lists"', '"ls" -l lists'],
    ['with a quoted flag', 'explain "--verbose and --x" to me', 'explain "--verbose and --x" to me'],
    ['with a quoted word before a flag-like word', '"use "ls" --all to list"', 'use "ls" --all to list'],
    ['behind --', '-- --all the "things" -- here', '--all the "things" -- here'],
    ['with a dash', 'do this -- then that', 'do this -- then that'],
    ['with single dashes', 'fix -x and - this', 'fix -x and - this'],
    ['with long dashes', 'fix this — and –that', 'fix this — and –that'],
    ['with words that look a little like flags', 'fix -checks and -max', 'fix -checks and -max'],
    ['with quoted words at both ends', '"Fix" and "Test"', '"Fix" and "Test"'],
    ['with quoted words at both ends and between', "'a' 'b' or 'c'", "'a' 'b' or 'c'"],
    ['with a dot behind its quotes', '"Fix it".', '"Fix it".'],
    ['with a backslash at its end', '"Fix C:\\dir\\"', 'Fix C:\\dir\\'],
    ['with a backslash at its end, without quotes', 'Fix C:\\dir\\', 'Fix C:\\dir\\'],
    ['with < and > and a promise', 'say <promise>NO</promise> never', 'say <promise>NO</promise> never'],
  ])('%s', (_what, typed, task) => {
    for (const line of [`${typed} --max-iterations=3`, `--max-iterations 3 ${typed}`, ` \n${typed}\n`]) {
      if (typed.startsWith('--') && !line.startsWith('--max')) continue;
      expect(requested(line).task).toBe(task);
    }
  });

  test('of 100 KB is read in no time, quotes and all', () => {
    const task = 'word "q" `b` $(c) !d\n---\n'.repeat(4200).trim();
    expect(requested(`"${task}" --max-iterations=3`)).toMatchObject({ task, maximumIterations: 3 });
    expect(requested(`--max-iterations=3 -- ${task}`)).toMatchObject({ task, maximumIterations: 3 });
  });

  test.each(['', '   ', '--max-iterations 3', '""', '"  "', '--', '-- '])('is needed: %j', (typed) => {
    expect(wrong(typed)).toBe('the task is missing');
  });
});

describe('flags', () => {
  test('have the defaults of the documentation', () => {
    expect(requested('"x"')).toEqual({ ...SESSION_DEFAULTS, task: 'x' });
    expect(requested('"x"', true)).toEqual({ ...SESSION_DEFAULTS, task: 'x', ultrawork: true });
    expect(SESSION_DEFAULTS).toMatchObject({
      promise: 'DONE',
      maximumIterations: 100,
      minToolCalls: 1,
      onPromiseNoWork: 'reject',
    });
  });

  test.each([
    '"do it" --max-iterations 3 --completion-promise OK --min-tool-calls 2 --on-promise-no-work warn',
    '"do it" --max-iterations=3 --completion-promise=OK --min-tool-calls=2 --on-promise-no-work=warn',
    '--max-iterations=3 --completion-promise "OK" "do it" --min-tool-calls 2 --on-promise-no-work="warn"',
    "--completion-promise='OK' --max-iterations\n3 --min-tool-calls 2 --on-promise-no-work warn do it",
    'do --completion-promise OK --max-iterations 3 it --min-tool-calls 2 --on-promise-no-work warn',
    '--max-iterations 3 --completion-promise OK --min-tool-calls 2 --on-promise-no-work warn -- do it',
  ])('can be anywhere, in both forms: %s', (typed) => {
    expect(requested(typed)).toEqual({
      ...SESSION_DEFAULTS,
      task: 'do it',
      maximumIterations: 3,
      promise: 'OK',
      minToolCalls: 2,
      onPromiseNoWork: 'warn',
    });
  });

  test('take checks as often as they are given, with quotes inside', () => {
    const typed = '"do it" --check "npm test" --check=make --check "grep \\"a b\\" x" --check \'test "$A" = 1\'';
    expect(requested(typed).checks).toEqual(['npm test', 'make', 'grep "a b" x', 'test "$A" = 1']);
  });

  test('are never a part of a task that ends with a backslash', () => {
    expect(requested('"Fix it \\" --check "npm test"')).toMatchObject({ task: 'Fix it \\', checks: ['npm test'] });
    expect(requested('"say \\"hi\\" --max-iterations 3"').task).toBe('say \\"hi\\" --max-iterations 3');
  });

  test('take a value that ends with a backslash', () => {
    expect(requested('"x" --check "dir C:\\"').checks).toEqual(['dir C:\\']);
    expect(requested('"x" --check "dir C:\\" --max-iterations 3').checks).toEqual(['dir C:\\']);
  });

  test.each([
    ['Fix it --check “npm test”', 'npm test'],
    ['Fix it --check=”npm test”', 'npm test'],
    ['--check ‘it’s fine’ "Fix it"', 'it’s fine'],
    ['“x” and --check ’npm test’', 'npm test'],
  ])('take a value in curly quotes: %s', (typed, check) => {
    expect(requested(typed).checks).toEqual([check]);
  });

  test('take a promise with quotes and spaces', () => {
    expect(requested('"x" --completion-promise "it\'s all DONE"').promise).toBe("it's all DONE");
  });

  test.each([
    ['"x" --max-iterations 0', '--max-iterations takes a whole number, from 1 to 1000000; got "0"'],
    ['"x" --max-iterations=-1', '--max-iterations takes a whole number, from 1 to 1000000; got "-1"'],
    ['"x" --max-iterations 3x', '--max-iterations takes a whole number, from 1 to 1000000; got "3x"'],
    ['"x" --max-iterations 1e3', '--max-iterations takes a whole number, from 1 to 1000000; got "1e3"'],
    ['"x" --max-iterations=', '--max-iterations takes a whole number, from 1 to 1000000; got ""'],
    [
      '"x" --max-iterations 99999999999999999999',
      '--max-iterations takes a whole number, from 1 to 1000000; got "99999999999999999999"',
    ],
    ['"x" --max-iterations', '--max-iterations needs a value'],
    ['"x" --completion-promise --max-iterations 3', '--completion-promise needs a value'],
    ['"x" --min-tool-calls -2', '--min-tool-calls takes a whole number, 0 or more; got "-2"'],
    ['"x" --stuck-after 0', '--stuck-after takes a whole number, 1 or more; got "0"'],
    ['"x" --check-timeout 541', '--check-timeout takes a whole number, from 1 to 540; got "541"'],
    ['"x" --on-promise-no-work maybe', '--on-promise-no-work must be one of reject, warn, accept; got "maybe"'],
    ['"x" --promise-position start', '--promise-position must be one of anywhere, end; got "start"'],
    ['"x" --bogus 3', 'there is no flag --bogus'],
    ['"x" --bogus "y"', 'there is no flag --bogus'],
    ['do it --bogus', 'there is no flag --bogus'],
    ['--bogus do it', 'there is no flag --bogus'],
    ['"x" -m 3', 'there is no flag -m; meant is --max-iterations (if it belongs to the task, put -- before the task)'],
    [
      '-m 3 do it',
      'there is no flag -m; meant is --max-iterations (if it belongs to the task, put -- before the task)',
    ],
    ['-v "do it"', 'there is no flag -v (if it belongs to the task, put -- before the task)'],
    ['do it -n=3', 'there is no flag -n (if it belongs to the task, put -- before the task)'],
    ['do it -n 3', 'there is no flag -n (if it belongs to the task, put -- before the task)'],
    ['"x" --Max-Iterations 3', 'there is no flag --Max-Iterations; is --max-iterations meant?'],
    ['"x" --constructor 3', 'there is no flag --constructor'],
    ['"x" --max-iterations 3 --max-iterations=4', '--max-iterations is given twice'],
    ['"x" --max-iterations 3 y', 'text after the quoted task: y'],
    ['"x --max-iterations 3', 'the quote before the task is not closed'],
    ['"x" --check "npm test', '--check needs a value'],
    ['"x" --check ""', '--check needs a command'],
    ['"x" --completion-promise ""', '--completion-promise: the promise is empty'],
    ['"x" --completion-promise "  "', '--completion-promise: the promise is empty'],
    [
      '"x" --completion-promise "<promise>DONE</promise>"',
      '--completion-promise: the promise is the text between the tags, without < and >, as in DONE',
    ],
    ['"x" --completion-promise "a\nb"', '--completion-promise: the promise is one line without control characters'],
    [
      '"x" --completion-promise " DONE"',
      '--completion-promise: the promise has spaces at its ends, where no agent would say them',
    ],
    ['"x" -max-iterations 3', '-max-iterations is not a flag; it is written --max-iterations, with two hyphens'],
    ['"x" ---max-iterations 3', '---max-iterations is not a flag; it is written --max-iterations, with two hyphens'],
    ['"x" —check "npm test"', '—check is not a flag; it is written --check, with two hyphens'],
    ['"x" -check "npm test" --max-iterations 5', '-check is not a flag; it is written --check, with two hyphens'],
    ['"x" -c "npm test"', 'text after the quoted task: -c "npm test"'],
    ['Do x —max-iterations=3', '—max-iterations is not a flag; it is written --max-iterations, with two hyphens'],
    ['Do x -–check y', '-–check is not a flag; it is written --check, with two hyphens'],
    [
      '–completion-promise OK Do x',
      '–completion-promise is not a flag; it is written --completion-promise, with two hyphens',
    ],
    [
      '"x" --stuck-after 3 —Max-Iterations 3',
      '—Max-Iterations is not a flag; it is written --max-iterations, with two hyphens',
    ],
    ['x --check npm test', `${BEHIND} --check: test ${IN_QUOTES}`],
    ['--check npm test it', `${BEHIND} --check: test it ${IN_QUOTES}`],
    [
      'x --completion-promise ALL DONE --stuck-after 3',
      `${BEHIND} --completion-promise: DONE --stuck-after 3 ${IN_QUOTES}`,
    ],
    ['Fix it --check "grep "foo bar" x"', `${BEHIND} --check: x" ${IN_QUOTES}`],
    ['Fix it --check “npm test', '--check needs a value'],
    ["'unclosed --max-iterations 3", 'the quote before the task is not closed'],
    ['"x" --completion-promise "a\u009bb"', '--completion-promise: the promise is one line without control characters'],
    ['"x" --resume', '--resume continues the loop as it is: it takes no task and no other flag'],
    ['--resume=1', '--resume takes no value'],
  ])('that are wrong are never a part of the task: %j', (typed, why) => {
    expect(wrong(typed)).toBe(why);
  });

  test.each(['--help', '-h', '"x" --help', '--bogus-not --help'])('%s', (typed) => {
    expect(readCommandLine(typed, { ultrawork: false }).kind).toBe(typed.includes('bogus') ? 'wrong' : 'help');
  });

  test('--resume needs nothing else', () => {
    expect(readCommandLine(' --resume ', { ultrawork: false })).toEqual({ kind: 'resume' });
  });
});

function requested(typed: string, ultrawork = false): SessionRequest {
  const line = readCommandLine(typed, { ultrawork });
  if (line.kind !== 'begin') throw new Error(`${JSON.stringify(line)} for ${typed.slice(0, 200)}`);
  return line.request;
}

function wrong(typed: string): string | CommandLine {
  const line = readCommandLine(typed, { ultrawork: false });
  return line.kind === 'wrong' ? line.why : line;
}
