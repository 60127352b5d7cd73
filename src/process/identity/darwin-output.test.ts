import { describe, expect, test } from 'vitest';
import {
  ALL_PROCESSES,
  ONE_PROCESS,
  parseBootSession,
  parseBootTime,
  parseCommandLines,
  parseCpuTimes,
  parsePlatformUuid,
  parseStartTime,
  parseTable,
  wordsOfVariable,
} from './darwin-output.ts';

/**
 * The start time of launchd as a Mac (macOS 26, arm64) printed it in four languages (`LC_ALL`). From the description of
 * github.com/pranshuparmar/witr/pull/218.
 */
const LAUNCHD = {
  C: 'Wed Jul 29 15:37:10 2026     ',
  ko: '2026년  7월 29일 수요일 15시 37분 10초  ',
  de: 'Mi. 29 Juli 15:37:10 2026     ',
  fr: 'mer. 29 juil. 15:37:10 2026   ',
};

const NODE = '/opt/homebrew/bin/node a b RALPH_MARK=one two PATH=/bin HOME=/Users/me';

const TABLE = [
  `    1     0     1 Ss   ${LAUNCHD.C}/sbin/launchd`,
  `  412     1   412 S    Sun Aug  2 09:05:01 2026     ${NODE}`,
  ' 6194   412   412 Z    Sun Aug  2 09:05:02 2026     <defunct>',
  '61950   412 61950 ?Es  Sun Aug  2 09:05:03 2026     ',
  '',
].join('\n');

describe('the table of ps', () => {
  test('has one row per process, with its start in seconds', () => {
    expect(parseTable(TABLE)).toEqual([
      { pid: 1, parent: 0, group: 1, startTime: '1785339430', isDead: false, shown: '/sbin/launchd' },
      { pid: 412, parent: 1, group: 412, startTime: '1785661501', isDead: false, shown: NODE },
      { pid: 6194, parent: 412, group: 412, startTime: '1785661502', isDead: true, shown: '<defunct>' },
      { pid: 61950, parent: 412, group: 61950, startTime: '1785661503', isDead: false, shown: '' },
    ]);
  });

  test('tells nothing in another language than the one that is asked for', () => {
    for (const started of [LAUNCHD.ko, LAUNCHD.de, LAUNCHD.fr]) {
      expect(parseTable(`    1     0     1 Ss   ${started}/sbin/launchd`)).toEqual([]);
      expect(parseStartTime(`Ss   ${started}`)).toBeNull();
    }
  });

  test('is asked for column by column, however long its lines are', () => {
    expect(ALL_PROCESSES).not.toContainEqual(expect.stringContaining(','));
    expect(ALL_PROCESSES[0]).toContain('ww');
    expect(ONE_PROCESS).not.toContainEqual(expect.stringContaining(','));
  });
});

test('CPU times are minutes, seconds and hundredths, also of days', () => {
  expect(parseCpuTimes('  412   0:01.25\n 6194 1523:09.00\n')).toEqual(
    new Map([
      [412, 1250],
      [6194, 91_389_000],
    ]),
  );
  expect(parseCpuTimes('  PID TIME\n')).toEqual(new Map());
});

test('the start of one process is that of the table, and a zombie has none', () => {
  expect(parseStartTime(`Ss   ${LAUNCHD.C}\n`)).toBe('1785339430');
  expect(parseStartTime('Z    Sun Aug  2 09:05:02 2026    \n')).toBeNull();
  expect(parseStartTime('')).toBeNull();
});

describe('a variable of another process', () => {
  test('is found behind its command line, up to the next variable', () => {
    expect(wordsOfVariable(NODE, '/opt/homebrew/bin/node a b', 'RALPH_MARK')).toEqual(['one', 'two']);
    expect(wordsOfVariable(NODE, '/opt/homebrew/bin/node a b', 'HOME')).toEqual(['/Users/me']);
    expect(wordsOfVariable(NODE, '/opt/homebrew/bin/node a b', 'ARK')).toEqual([]);
  });

  test('is no word of the command line, nor of one that was another when it was asked for', () => {
    expect(wordsOfVariable('grep RALPH_MARK=one HOME=/', 'grep RALPH_MARK=one', 'RALPH_MARK')).toEqual([]);
    expect(wordsOfVariable('grep RALPH_MARK=one', 'grep RALPH_MARK=one', 'RALPH_MARK')).toEqual([]);
    expect(wordsOfVariable(NODE, '/bin/sh a b', 'RALPH_MARK')).toEqual([]);
  });

  test('is looked for with the command line alone, which keeps its blanks', () => {
    expect(parseCommandLines('  412 node a  b\n 6194 (node)\n')).toEqual(
      new Map([
        [412, 'node a  b'],
        [6194, '(node)'],
      ]),
    );
  });
});

describe('a boot', () => {
  // From github.com/ansible/ansible/pull/10476, OS X 10.10.
  test('has its time in seconds', () => {
    expect(parseBootTime('{ sec = 1426005997, usec = 0 } Tue Mar 10 11:46:37 2015\n')).toBe(1426005997000);
    expect(parseBootTime('')).toBeNull();
  });

  test('has a name of its own, unless sysctl may not tell', () => {
    expect(parseBootSession('5E6FFEBE-7A1C-4E9B-8F3D-0A5B2C7D9E1F\n')).toBe('5E6FFEBE-7A1C-4E9B-8F3D-0A5B2C7D9E1F');
    expect(parseBootSession("sysctl: unknown oid 'kern.bootsessionuuid'\n")).toBeNull();
    expect(parseBootSession('')).toBeNull();
  });
});

test('a machine is known by what ioreg calls its IOPlatformUUID', () => {
  const printed = `+-o J314sAP  <class IOPlatformExpertDevice, id 0x10000027f, registered, matched, active, busy 0 (13368 ms), retain 44>
    {
      "IOPolledInterface" = "SMCPolledInterface is not serializable"
      "IOPlatformUUID" = "ABCDEF01-2345-6789-ABCD-EF0123456789"
      "target-type" = <"J314s">
    }
`;
  expect(parsePlatformUuid(printed)).toBe('ABCDEF01-2345-6789-ABCD-EF0123456789');
  expect(parsePlatformUuid('')).toBeNull();
});
