import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { nodeProgram } from '../../test/support/programs/node-program.ts';
import { appendMessage } from './append.ts';
import { machineClock, stampAt } from './message.ts';
import { readMessages } from './read.ts';

let folder: string;
let bus: string;
const draft = { type: 'FACT', projectId: 'p', body: 'text' };

beforeEach(() => {
  folder = testFolder();
  bus = join(folder, 'TASK-MESSAGE-BUS.md');
});

describe('a message', () => {
  test('stands in the file as its format says, after one empty line, and leaves nothing beside it', async () => {
    const now = () => 1_771_874_230_184_887_000n;
    const first = await appendMessage(bus, { ...draft, taskId: 't', runId: 'r' }, { now });
    await appendMessage(bus, { ...draft, type: 'a: b', meta: { k: '---\nx' }, body: '---' }, { now });
    expect(first).toMatchObject({
      msgId: `MSG-20260223-191710-184887000-PID${process.pid}-0001`,
      ts: '2026-02-23T19:17:10.184887Z',
    });
    expect(readFileSync(bus, 'utf8')).toBe(
      [
        '---',
        `msg_id: ${first.msgId}`,
        'ts: 2026-02-23T19:17:10.184887Z',
        'body_bytes: 4',
        'type: FACT',
        'project_id: p',
        'task_id: t',
        'run_id: r',
        '---',
        'text',
        '',
        '---',
        `msg_id: ${first.msgId.replace(/1$/, '2')}`,
        'ts: 2026-02-23T19:17:10.184887Z',
        'body_bytes: 4',
        'type: "a: b"',
        'project_id: p',
        'meta: {"k":"---\\nx"}',
        '---',
        '\\---',
        '',
      ].join('\n'),
    );
    // At most 0644; the user's umask may remove some of it.
    expect(statSync(bus).mode & 0o777 & ~0o644).toBe(0);
    expect(readdirSync(folder)).toEqual(['TASK-MESSAGE-BUS.md']);
  });

  test('has an id of its own though the clock stands still or goes back', async () => {
    const times = [5n, 5n, 3n, 5n, 3n, 0n].map((seconds) => seconds * 1_000_000_000n);
    for (const time of times) await appendMessage(bus, draft, { now: () => time });
    const ids = readMessages(bus).messages.map(({ msgId }) => msgId);
    expect(new Set(ids).size).toBe(times.length);
    expect(ids.map((id) => id.slice(-4))).toEqual(['0001', '0002', '0003', '0004', '0005', '0006']);
  });

  test('of a writer that knows where its last one ended goes on from there, or from what others wrote since', async () => {
    const options = { ownEnd: {}, now: () => 0n };
    const seqs: (string | undefined)[] = [];
    const append = async (more = {}): Promise<void> => {
      seqs.push((await appendMessage(bus, draft, { ...options, ...more })).msgId.split('-').at(-1));
    };
    await append();
    await append();
    await append({ ownEnd: {} });
    await append();
    appendFileSync(bus, '\n---\nmsg_id: MSG-torn');
    await append();
    expect(seqs).toEqual(['0001', '0002', '0003', '0004', '0001']);
    expect(readMessages(bus).messages.map(({ body }) => body)).toEqual(Array(5).fill('text'));
  });

  test('carries the time of the clock on the wall', async () => {
    const stamp = (): string => stampAt(machineClock(), 0, 0).ts;
    const times = [stamp(), (await appendMessage(bus, draft)).ts, stamp()];
    expect(times).toEqual([...times].sort());
  });

  test('of an issue is its own issue, unless it belongs to another', async () => {
    const issue = await appendMessage(bus, { ...draft, type: 'ISSUE' });
    const same = await appendMessage(bus, { ...draft, type: 'ISSUE', issueId: issue.msgId });
    expect(issue.issueId).toBe(issue.msgId);
    expect(same.issueId).toBe(issue.msgId);
    expect((await appendMessage(bus, draft)).issueId).toBeUndefined();
  });

  test('written under another name of the bus, a link, goes to the same bus', async () => {
    const link = join(folder, 'link.md');
    symlinkSync(bus, link);
    await expect(appendMessage(link, draft)).rejects.toMatchObject({
      message: `cannot write message bus ${link}: it is a broken link`,
    });
    await appendMessage(bus, draft);
    await appendMessage(link, draft);
    expect(readMessages(bus).messages).toHaveLength(2);
    expect(readdirSync(folder).sort()).toEqual(['TASK-MESSAGE-BUS.md', 'link.md']);
  });
});

describe('what another program wrote', () => {
  test.each([
    ['text without a line end', 'text'],
    ['a header that was never closed', '---\ntype: X\nproject_id: p\n'],
    ['a line of dashes', '---'],
    ['a header and a body without a line end', '---\ntype: X\nproject_id: p\n---\nbody'],
  ])('%s at the end, does not swallow the next message', async (_what, text) => {
    writeFileSync(bus, text);
    const message = await appendMessage(bus, draft);
    expect(readMessages(bus).messages.at(-1)).toEqual(message);
    expect(readFileSync(bus, 'utf8').startsWith(text)).toBe(true);
  });
});

describe('a message is refused', () => {
  test.each([
    [{ type: '' }, /^message type is empty$/],
    [{ projectId: '' }, /^project id is empty$/],
    [{ meta: { k: 'x'.repeat(70_000) } }, /^message header is too large: \d+ bytes$/],
    [{ body: 'x'.repeat(33 * 1024 * 1024) }, /^message body is too large: \d+ bytes$/],
  ])('%o', async (given, message) => {
    await expect(appendMessage(bus, { ...draft, ...given })).rejects.toMatchObject({
      message: expect.stringMatching(message),
      advice: { exitCode: 2 },
    });
    expect(readdirSync(folder)).not.toContain('TASK-MESSAGE-BUS.md.lock');
  });

  test('where the folder is missing, or is a file', async () => {
    const missing = join(folder, 'none/bus.md');
    await expect(appendMessage(missing, draft)).rejects.toMatchObject({
      code: 'BUS_FOLDER',
      message: `cannot write message bus ${missing}: no folder ${join(folder, 'none')}`,
    });
    writeFileSync(join(folder, 'file'), '');
    await expect(appendMessage(join(folder, 'file/bus.md'), draft)).rejects.toMatchObject({ code: 'BUS_FOLDER' });
  });

  test('where the bus is a directory or a pipe', async () => {
    mkdirSync(bus);
    await expect(appendMessage(bus, draft)).rejects.toMatchObject({
      message: `cannot write message bus ${bus}: it is a directory, not a file`,
    });
    const pipe = join(folder, 'pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    await expect(appendMessage(pipe, draft)).rejects.toMatchObject({ message: `message bus ${pipe} is not a file` });
    expect(() => readMessages(pipe)).toThrow(`message bus ${pipe} is not a file`);
  });
});

describe('on a disk', () => {
  /** Appends until it fails, on a file system that only it sees; prints how many, why, and what can then be read. */
  const FILLER = `
    import { appendMessage } from './src/bus/append.ts';
    import { readMessages } from './src/bus/read.ts';
    import { readdirSync, readFileSync } from 'node:fs';
    import { dirname } from 'node:path';
    const [, , bus, bytes] = process.argv;
    const written = [];
    let said = null;
    while (said === null && written.length < 1000) {
      try {
        written.push((await appendMessage(bus, { type: 'FACT', projectId: 'p', body: 'x'.repeat(Number(bytes)) })).msgId);
      } catch (error) {
        said = { code: error.code, message: error.message, hint: error.advice?.hint };
      }
    }
    const { messages, end } = written.length > 0 ? readMessages(bus) : { messages: [], end: 0 };
    const whole = written.length === 0 || end === readFileSync(bus).length;
    const ids = messages.map(({ msgId }) => msgId);
    console.log(JSON.stringify({ said, written, ids, whole, files: readdirSync(dirname(bus)) }));`;

  async function fill(mount: string, bytes: number) {
    const apart = process.getuid?.() === 0 ? ['--mount'] : ['--mount', '--user', '--map-root-user'];
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    const program = await nodeProgram(FILLER);
    const command = [
      'unshare',
      ...apart,
      'sh',
      '-c',
      `${mount} && exec "$@"`,
      disk,
      process.execPath,
      program,
      `${disk}/bus.md`,
    ];
    const [first, ...args] = [...command, String(bytes)];
    const { stdout, stderr } = spawnSync(first ?? '', args, { encoding: 'utf8' });
    expect(stderr).toBe('');
    return { bus: `${disk}/bus.md`, ...JSON.parse(stdout) };
  }

  test('that is full nothing half-written stays, and what was acknowledged is there', async () => {
    const told = await fill('mount -t tmpfs -o size=64k tmpfs "$0"', 1500);
    expect(told.said).toEqual({
      code: 'BUS_WRITE',
      message: `cannot write message bus ${told.bus}: no space left on device`,
      hint: 'Free some space on the disk; nothing on the bus is lost.',
    });
    expect(told.written.length).toBeGreaterThan(10);
    expect(told).toMatchObject({ ids: told.written, whole: true, files: ['bus.md'] });
  });

  test('that is read-only it says so', async () => {
    const told = await fill('mount -t tmpfs -o ro tmpfs "$0"', 10);
    expect(told.said).toMatchObject({
      code: 'BUS_WRITE',
      message: `cannot write message bus ${told.bus}: read-only file system`,
    });
  });
});
