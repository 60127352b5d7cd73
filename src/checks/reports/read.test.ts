import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { readReport } from './read.ts';

const REPORTS = join(import.meta.dirname, '../../../test/fixtures/test-reports');
const read = (text: string): string[] | null =>
  readReport(text)?.map(({ name, outcome }) => `${outcome}: ${name}`) ?? null;
const recorded = (name: string): string => readFileSync(join(REPORTS, name), 'utf8');

describe('a report that a real runner has written', () => {
  test.each([
    [
      'pytest.xml',
      [
        'passed: pytest › test_a › test_adds',
        'failed: pytest › test_a › test_fails',
        'skipped: pytest › test_a › test_skipped',
        'skipped: pytest › test_a › test_expected_to_fail',
        'passed: pytest › test_a.TestGroup › test_each[1]',
        'passed: pytest › test_a.TestGroup › test_each[2]',
      ],
    ],
    [
      'node.xml',
      [
        'passed: sums › test › adds',
        'failed: sums › test › fails',
        'skipped: sums › test › later',
        'skipped: sums › test › one day',
        'passed: test › alone',
      ],
    ],
    [
      'vitest.xml',
      [
        'passed: vitest tests › a.test.js › sums > adds',
        'failed: vitest tests › a.test.js › sums > fails',
        'skipped: vitest tests › a.test.js › sums > later',
        'skipped: vitest tests › a.test.js › sums > one day',
        'failed: vitest tests › broken.test.js',
      ],
    ],
    [
      'node.tap',
      [
        'passed: sums › adds',
        'failed: sums › fails',
        'skipped: sums › later',
        'skipped: sums › one day',
        'passed: alone',
      ],
    ],
    [
      'go.ndjson',
      [
        'passed: example.com/a › TestAdds/small',
        'passed: example.com/a › TestAdds',
        'failed: example.com/a › TestFails',
        'skipped: example.com/a › TestSkipped',
        'failed: example.com/a/broken',
      ],
    ],
    ['mocha.json', ['passed: sums adds', 'failed: sums fails', 'skipped: sums later']],
  ])('%s', (name, tests) => {
    expect(read(recorded(name))).toEqual(tests);
  });

  test.each(['jest.json', 'vitest.json'])('%s', (name) => {
    expect(read(recorded(name))?.toSorted()).toEqual([
      expect.stringMatching(/^failed: .*broken\.test\.js$/),
      'failed: a.test.js › sums fails',
      'passed: a.test.js › sums adds',
      'skipped: a.test.js › sums later',
      'skipped: a.test.js › sums one day',
    ]);
  });

  test('node tells the same in both of its formats, now', () => {
    const folder = testFolder();
    writeFileSync(
      join(folder, 'a.test.mjs'),
      `import { test } from 'node:test';
       test('a <name> & more', () => {});
       test('red # SKIP', () => { throw new Error(']]> </testcase>'); });
       test('off', { skip: true }, () => {});`,
    );
    const env = { PATH: process.env.PATH };
    const run = (format: string) =>
      spawnSync(process.execPath, ['--test', `--test-reporter=${format}`, 'a.test.mjs'], {
        cwd: folder,
        env,
        encoding: 'utf8',
      });
    const names = ['a <name> & more', 'red # SKIP', 'off'];
    for (const format of ['tap', 'junit']) {
      const report = readReport(run(format).stdout);
      expect(report?.map(({ outcome }) => outcome)).toEqual(['passed', 'failed', 'skipped']);
      expect(report?.every(({ name }, index) => name.endsWith(names[index] ?? '?'))).toBe(true);
    }
  });
});

describe('what is no whole report', () => {
  test.each([
    ['nothing', ''],
    ['words', 'all good\n'],
    ['another XML', '<html><testcase name="a"/></html>'],
    ['an XML that was cut off', '<testsuites><testsuite name="a"><testcase name="b"/>'],
    ['an XML that was cut off in a tag', '<testsuites><testsuite name="a"><testcase name="b'],
    ['a JSON that was cut off', recorded('jest.json').slice(0, -10)],
    ['another JSON', '{"ok": true}'],
  ])('is none: %s', (_what, text) => {
    expect(readReport(text)).toBeNull();
  });

  test('a TAP with fewer tests than it planned has failed, and so has one that bailed out', () => {
    expect(read('1..3\nok 1 - a\n')).toEqual(['passed: a', 'failed: 1 of 3 planned tests ran']);
    expect(read('TAP version 13\nok 1 - a\nBail out! no database\n')).toEqual(['passed: a', 'failed: Bail out!']);
    expect(read('1..0 # SKIP nothing here\n')).toEqual([]);
  });
});

describe('what an agent could have written', () => {
  test('tags in comments, data and values count for nothing', () => {
    const hidden = '<!-- <testcase name="x"/> --><![CDATA[<failure/>]]><?xml-stylesheet href="<failure/>"?>';
    const text = `<testsuite><testcase name="a > b <failure/>">${hidden}</testcase></testsuite>`;
    expect(read(text)).toEqual(['passed: a > b <failure/>']);
  });

  test('an entity is not expanded', () => {
    const text = '<!DOCTYPE x [<!ENTITY a "aaaa">]><testsuite><testcase name="&a;&#65;&#x110000;"/></testsuite>';
    expect(read(text)).toEqual(['passed: &a;A&#x110000;']);
  });

  test.each([
    ['blanks in a TAP', `ok 1 -${' '.repeat(3_000_000)}x`],
    ['a tag without an end', `<testsuite ${'a="" '.repeat(600_000)}`],
    ['many suites', `<testsuite>${'<testsuite>'.repeat(200_000)}`],
    ['deep JSON', `{"testResults":${'['.repeat(5000)}${']'.repeat(5000)}}`],
  ])('a long text is read in one go: %s', (_what, text) => {
    // With a pattern of quadratic time, the test would time out.
    expect(() => readReport(text)).not.toThrow();
  });
});
