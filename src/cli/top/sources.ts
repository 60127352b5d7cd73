/** The texts that `ralph top` shows about a loop, made with the code of the commands that print them. */
import { resolve } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { allChanges, changesOf } from '../../core/trees.ts';
import type { ReadableLoop } from '../../engine/store/loop-store.ts';
import { showDiff } from '../../scm/snapshots/diff.ts';
import { lineSplitter } from '../../stream/lines.ts';
import { printable } from '../../stream/printable.ts';
import type { Sources } from '../../tui/commands.ts';
import { type LogLine, loopLog, runLines } from '../../views/loop-log.ts';
import { machineOf } from '../../views/machines.ts';
import { type LoopsContext, unknownKind } from '../loops/context.ts';
import { patchStyle } from '../loops/diff.ts';
import { requestOf } from '../loops/resume.ts';
import { leftOutLine, needed, snapshotsOf } from '../loops/snapshots.ts';

/** More than a person reads on a screen; the rest is for `ralph diff` and the pager. */
const MOST_DIFF_LINES = 5000;
const LOG_BYTES = 16 * 1024;
const MOST_MESSAGES = 200;

export function topSources(context: LoopsContext): Sources {
  const { store, environment } = context;
  return {
    diff: ({ id }, iteration) => diffLines(id, iteration, context),
    async stories({ cwd }) {
      const [{ statusLines, surveyStories }, { listedProjectOf }] = await Promise.all([
        import('../stories/status.ts'),
        import('../stories/project.ts'),
      ]);
      return statusLines(surveyStories(listedProjectOf({ projectDir: cwd }))).map((text) => ({ text }));
    },
    bus: (loop) => busLines(loop, context),
    async log({ id, cwd }, log) {
      const part = await store.transcript(id, resolve(cwd, log), { last: LOG_BYTES });
      if (part === null) throw new RalphError('LOG', 'The log no longer exists.');
      const lines = Buffer.from(part.bytes).toString('utf8').trimEnd().split('\n');
      const isWhole = part.next === part.bytes.length;
      return (isWhole ? lines : ['…', ...lines.slice(1)]).map((text) => ({ text }));
    },
    async *whole(loop, log) {
      const texts = log === null ? logTexts(loop, context) : fileTexts(loop, resolve(loop.cwd, log), context);
      for await (const text of texts) yield `${environment.mask(printable(text))}\n`;
    },
  };
}

async function diffLines(id: string, iteration: number | null, context: LoopsContext): Promise<LogLine[]> {
  const snapshots = await snapshotsOf(id, context);
  const { trees, store, env } = snapshots;
  const { from, to } = iteration === null ? allChanges(trees) : changesOf(trees, iteration);
  const after = needed(to, snapshots);
  const lines: LogLine[] = [];
  const onLine = (line: Buffer): void => {
    const text = line.toString('utf8');
    const style = patchStyle(text);
    lines.push(style === null ? { text } : { text, style });
  };
  const splitter = lineSplitter({ onLine, onLongLine: onLine });
  const wanted = { from: needed(from, snapshots).commit, to: after.commit, form: 'patch' } as const;
  const onOutput = (chunk: Buffer): boolean => {
    splitter.push(chunk);
    return lines.length < MOST_DIFF_LINES;
  };
  await showDiff(store, wanted, { env, onOutput });
  splitter.end();
  if (lines.length === 0) lines.push({ text: 'No file was changed.', style: 'dim' });
  if (lines.length >= MOST_DIFF_LINES) lines.push({ text: '… the rest: ralph diff', style: 'dim' });
  const leftOut = leftOutLine(after.leftOut);
  return leftOut === null ? lines : [...lines, { text: leftOut, style: 'yellow' }];
}

/** The last messages on the task's bus. */
async function busLines(loop: ReadableLoop, context: LoopsContext): Promise<LogLine[]> {
  const { folder } = await requestOf(loop, context);
  if (typeof folder !== 'string') throw new RalphError('BUS', 'It has no message bus.');
  const [{ readTail }, { taskFile }, { lineOf }] = await Promise.all([
    import('../../bus/read.ts'),
    import('../../loops/tasks/folder/task-folder.ts'),
    import('../bus/commands.ts'),
  ]);
  try {
    return readTail(taskFile.bus(folder), MOST_MESSAGES).messages.map((message) => ({ text: lineOf(message) }));
  } catch (error) {
    if (error instanceof RalphError && error.code === 'BUS_MISSING')
      return [{ text: 'No messages have been posted yet.', style: 'dim' }];
    throw error;
  }
}

async function* logTexts(loop: ReadableLoop, { store, environment, width }: LoopsContext): AsyncGenerator<string> {
  const machine = await machineOf(loop.loopKind);
  if (machine === null) throw unknownKind(loop);
  const log = loopLog(machine, { mask: environment.mask, width, only: null });
  for (const record of await store.records(loop.id)) {
    const { lines, run } = log.take(record);
    for (const { text } of lines) yield text;
    if (run === null) continue;
    const texts: string[] = [];
    const splitter = runLines(run, environment.mask, (text) => void texts.push(text));
    for await (const bytes of partsOf(loop.id, run.transcript, store)) {
      splitter.push(bytes);
      yield* texts.splice(0);
    }
    splitter.end();
    yield* texts;
  }
}

async function* fileTexts(loop: ReadableLoop, path: string, { store }: LoopsContext): AsyncGenerator<string> {
  const lines: string[] = [];
  const onLine = (line: Buffer): void => void lines.push(line.toString('utf8'));
  const splitter = lineSplitter({ onLine, onLongLine: onLine });
  for await (const bytes of partsOf(loop.id, path, store)) {
    splitter.push(bytes);
    yield* lines.splice(0);
  }
  splitter.end();
  yield* lines;
}

async function* partsOf(id: string, path: string, store: LoopsContext['store']): AsyncGenerator<Buffer> {
  for (let from = 0; ; ) {
    const part = await store.transcript(id, path, { from });
    if (part === null || part.bytes.length === 0) return;
    from = part.next;
    yield Buffer.from(part.bytes);
  }
}
