import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { errorOf } from '../../test/support/error-of.ts';
import { testFolder } from '../../test/support/folder.ts';
import { firstRecord, record, recordOf } from '../../test/support/loops/play.ts';
import {
  checked,
  git,
  guardrail,
  INTERRUPTED,
  inputs,
  published,
  REQUEST,
  STARTED,
  WAITED,
  worked,
} from '../../test/support/loops/results.ts';
import { endOf, nodeProgram } from '../../test/support/programs/node-program.ts';
import { fold, loopMachine } from '../core/machine/machine.ts';
import { RECORD_VERSION, type Recorded, type Result } from '../core/record.ts';
import { type Mask, maskFor } from '../core/text/mask.ts';
import { runRules } from '../loops/run/rules.ts';
import { createJournal, type Journal, openJournal, parseJournal, readJournal, readJournalEnds } from './journal.ts';

const run = loopMachine(runRules);
const LF = 0x0a;
/** Masks nothing. */
const open: Mask = (text) => text;

/** Two iterations as `ralph run` records them: a red guardrail with its output, an interruption, two commits. */
const records = journalOf(
  inputs({
    prompt: 'Mach es schön: 做完它 😀\nZeile 2',
    guardrails: [guardrail('make test', 'APPEND', 'Größe!')],
    scm: git('commit'),
  }),
  STARTED,
  INTERRUPTED,
  WAITED,
  { kind: 'inputs', digest: 'd1' },
  STARTED,
  worked('noch nicht\u2028fertig'),
  checked(0, false, '✗ 1 Fehler:\n\t"ä" ≠ \'a\'\u0000\u001b[31m\n'.repeat(3)),
  WAITED,
  { kind: 'inputs', digest: 'd1' },
  STARTED,
  worked('DONE'),
  checked(0, true),
  STARTED,
  worked('Füge Größe hinzu 😀'),
  published(0),
  { kind: 'ended', ending: { kind: 'done' } },
);
const lines = records.map((entry) => textOf([entry]));
const whole = Buffer.from(lines.join(''));

let folder: string;
let path: string;

function opened(file: string): { journal: Journal; records: Recorded[] } {
  const read: Recorded[] = [];
  return { journal: openJournal(file, open, (record) => void read.push(record)), records: read };
}

beforeEach(() => {
  folder = testFolder();
  path = join(folder, 'journal.jsonl');
});

function journalOf(...results: readonly Result[]): Recorded[] {
  const made = [firstRecord('run', { ...REQUEST })];
  let state = fold(run, made);
  for (const result of results) {
    const next = recordOf(run, state, result);
    state = run.apply(state, next);
    made.push(next);
  }
  return made;
}

function textOf(entries: readonly Recorded[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

function waitedAt(count: number): Recorded {
  return record(count, 'next', WAITED);
}

test('a journal cut at any byte opens with a prefix of its records, keeps the torn part, and is appended to', () => {
  expect(records.at(-1)?.result.kind).toBe('ended');
  for (let cut = 0; cut <= whole.length; cut++) {
    const rest = whole.subarray(0, cut);
    const wholeBytes = rest.lastIndexOf(LF) + 1;
    const count = rest.filter((byte) => byte === LF).length;
    writeFileSync(path, rest);
    const { journal, records: read } = opened(path);
    expect(textOf(read), `cut at ${cut}`).toBe(lines.slice(0, count).join(''));
    if (count > 0) fold(run, read);
    const aside = `${path}.torn-${wholeBytes}`;
    const torn = existsSync(aside) ? readFileSync(aside) : Buffer.alloc(0);
    expect(torn.equals(rest.subarray(wholeBytes)), `cut at ${cut}`).toBe(true);

    journal.append(waitedAt(count));
    journal.close();
    expect(readFileSync(path, 'utf8'), `cut at ${cut}`).toBe(textOf([...read, waitedAt(count)]));
    expect(readJournal(path), `cut at ${cut}`).toMatchObject({ torn: null });
  }
});

test('a whole journal is opened as it is, with nothing set aside', () => {
  writeFileSync(path, whole);
  const { journal, records: read } = opened(path);
  journal.close();
  expect(read).toEqual(records);
  expect(readFileSync(path)).toEqual(whole);
  expect(readdirSync(folder)).toEqual(['journal.jsonl']);
});

describe('what a dying machine leaves at the end is cut off and set aside', () => {
  test.each([
    ['a block of zeros', Buffer.alloc(4096)],
    ['zeros within a line', Buffer.concat([Buffer.from('{"v":1,"seq":18,'), Buffer.alloc(100), Buffer.from('\n')])],
    ['half a record and zeros', Buffer.concat([Buffer.from('{"v":1,"se'), Buffer.alloc(512)])],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x0a])],
    ['empty lines', Buffer.from('\n\n')],
    ['JSON that is no record', Buffer.from('null\n7\n{}\n[1]\n"x"\n')],
  ])('%s', (_what, garbage) => {
    writeFileSync(path, Buffer.concat([whole, garbage]));
    const { journal, records: read } = opened(path);
    journal.close();
    expect(read).toEqual(records);
    expect(readFileSync(path)).toEqual(whole);
    expect(readFileSync(`${path}.torn-${whole.length}`)).toEqual(garbage);
  });

  test('reading alone touches nothing', () => {
    const torn = Buffer.concat([whole, Buffer.from('{"v"')]);
    writeFileSync(path, torn);
    expect(readJournal(path)).toMatchObject({ wholeBytes: whole.length, torn: Buffer.from('{"v"') });
    expect(readFileSync(path)).toEqual(torn);
  });
});

describe('damage in the middle is refused with its line, and nothing is touched', () => {
  const damages: [string, (line: string) => string][] = [
    ['is cut in half', (line) => `${line.slice(0, line.length / 2)}\n`],
    ['is overwritten with zeros', (line) => `${'\0'.repeat(line.length - 1)}\n`],
    ['is gone', () => ''],
    ['stands there twice', (line) => line + line],
    ['has lost its end', (line) => line.slice(0, -1)],
    ['has lost its kind', (line) => line.replace('"kind"', '"kin"')],
  ];
  test.each(damages)('a line that %s', (_how, damage) => {
    for (let index = 0; index < lines.length - 2; index++) {
      const text = lines.map((line, at) => (at === index ? damage(line) : line)).join('');
      const bytes = Buffer.from(text);
      // A duplicated line is wrong at its second position.
      const line = damage('x\n') === 'x\nx\n' ? index + 2 : index + 1;
      expect(() => parseJournal(bytes, 'the-journal'), `line ${index + 1}`).toThrow(
        `the-journal is damaged at line ${line}`,
      );
    }
  });

  test('the refusal is one that a person can act on', () => {
    const damaged = lines.toSpliced(3, 1).join('');
    writeFileSync(path, damaged);
    const error = errorOf(() => opened(path));
    expect(error).toMatchObject({
      code: 'JOURNAL_DAMAGED',
      advice: { exitCode: 2, hint: expect.stringContaining('Restore it') },
    });
    expect(readFileSync(path, 'utf8')).toBe(damaged);
    expect(readdirSync(folder)).toEqual(['journal.jsonl']);
  });
});

test.each([0, 10_000, 40_000])(
  'the ends of a journal are its first and its last whole record (%i bytes more)',
  (bytes) => {
    const long = records.map((entry) => ({ ...entry, more: 'x'.repeat(bytes / 10) }));
    for (let count = 1; count <= long.length; count++) {
      const text = long.slice(0, count).map((entry) => textOf([entry]));
      writeFileSync(path, `${text.join('')}${lines[count]?.slice(0, -1) ?? ''}`);
      expect(readJournalEnds(path)).toEqual({ first: long[0], last: long[count - 1] });
    }
    // After a damaged line, the last record is the previous whole one.
    writeFileSync(path, `${textOf([long[0] as Recorded])}not a record\n`);
    expect(readJournalEnds(path)?.last).toEqual(long[0]);
  },
);

test("another program's file is refused, and so is a journal of a newer release; neither is touched", () => {
  const foreign = '{"name":"left-pad"}\n';
  writeFileSync(path, foreign);
  expect(() => opened(path)).toThrow(`${path} is damaged at line 1`);
  const newer = `${JSON.stringify({ ...waitedAt(0), v: RECORD_VERSION + 1 })}\n`;
  writeFileSync(path, newer);
  expect(() => opened(path)).toThrow(
    `cannot read ${path}: a newer release of ralph wrote it (format ${RECORD_VERSION + 1}`,
  );
  expect(readFileSync(path, 'utf8')).toBe(newer);
});

describe('writing', () => {
  test('a new journal holds its first record, for the user only', async () => {
    const journal = createJournal(path, waitedAt(0), open);
    journal.append(waitedAt(1));
    await journal.sync();
    journal.syncNow();
    journal.close();
    expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(waitedAt(0))}\n${JSON.stringify(waitedAt(1))}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('a journal that is there is not begun a second time', () => {
    writeFileSync(path, whole);
    expect(() => createJournal(path, waitedAt(0), open)).toThrow('EEXIST');
    expect(readFileSync(path)).toEqual(whole);
  });

  test('a record is in the file when append returns, whatever happens to the process then', async () => {
    const program = await nodeProgram(`
      import { createJournal } from './src/state/journal.ts';
      const journal = createJournal(process.argv[2], { seq: 0, v: 1, result: { kind: 'created' } }, (text) => text);
      for (let seq = 1; seq < 100; seq++) journal.append({ seq, v: 1, result: { kind: 'waited' } });
      process.kill(process.pid, 'SIGKILL');`);
    await endOf(spawn(process.execPath, [program, path]));
    expect(readJournal(path)).toMatchObject({ torn: null, records: { length: 100 } });
  });

  test('an append for which there is no room says so and where; the loop can then be opened again', async () => {
    const program = await nodeProgram(`
      import { createJournal } from './src/state/journal.ts';
      const waited = (seq) => ({ seq, v: 1, result: { kind: 'waited' } });
      const journal = createJournal(process.argv[2], waited(0), (text) => text);
      try {
        for (let seq = 1; ; seq++) journal.append(waited(seq));
      } catch (error) {
        console.log(JSON.stringify({ code: error.code, path: error.path }));
      }`);
    const limited = spawn('sh', ['-c', 'ulimit -f 2; exec "$@"', 'sh', process.execPath, program, path]);
    const error: unknown = JSON.parse((await endOf(limited)).output);
    expect(error).toEqual({ code: 'EFBIG', path });
    const { journal, records: read } = opened(path);
    journal.append(waitedAt(read.length));
    journal.close();
    expect(readJournal(path)).toMatchObject({ torn: null, records: { length: read.length + 1 } });
    expect(existsSync(`${path}.torn-${readFileSync(path).lastIndexOf(LF, -2) + 1}`)).toBe(true);
  });

  test('a record with a key in it is written without the key, and says so', () => {
    const secret = 'geheim-äöü-"1234"';
    const journal = createJournal(path, waitedAt(0), maskFor({ API_KEY: secret }));
    journal.append(record(1, 'x', { kind: 'interrupted', reason: `it said ${secret}` }));
    journal.close();
    const { records: read, torn } = readJournal(path);
    expect(torn).toBeNull();
    expect(read).toMatchObject([waitedAt(0), { seq: 1, masked: true, result: { reason: 'it said ***' } }]);
    expect(read[0]).not.toHaveProperty('masked');
  });

  test('an append that fails for any other reason says where, too', () => {
    const journal = createJournal(path, waitedAt(0), open);
    journal.close();
    expect(() => journal.append(waitedAt(1))).toThrow(expect.objectContaining({ code: 'EBADF', path }));
  });
});
