/** Journals of loops of each kind that the release before this one wrote: each is read, and goes on where it stood. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Action } from '../../src/core/action.ts';
import { fold, type LoopMachine } from '../../src/core/machine.ts';
import { isOver } from '../../src/core/state.ts';
import { runMachine } from '../../src/loops/run/rules.ts';
import { sessionMachine } from '../../src/loops/session/rules.ts';
import { storiesMachine } from '../../src/loops/stories/rules.ts';
import { ralphMachine } from '../../src/loops/swarm/ralph/rules.ts';
import { taskMachine } from '../../src/loops/tasks/rules.ts';
import { readJournal } from '../../src/state/journal.ts';

const FOLDER = join(import.meta.dirname, '../fixtures/journals/v2');
const journals = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'));

/** What the release that wrote them made of them. */
const expected = JSON.parse(readFileSync(join(FOLDER, 'expected.json'), 'utf8')) as Record<
  string,
  { readonly state: object; readonly next: object | null }
>;

test('there is one of each loop kind', () => {
  const kinds = journals.map((name) => name.replace(/-(ended|unfinished)\.jsonl$/, ''));
  expect(new Set(kinds)).toEqual(new Set(['job', 'ralph-loop', 'run', 'session', 'stories', 'swarm', 'task']));
});

test.each(journals)('%s', (name) => {
  const { records, torn } = readJournal(join(FOLDER, name));
  const created = records[0]?.result;
  if (created?.kind !== 'created') throw new Error('a journal begins with its creation');
  expect(torn).toBeNull();
  const { state, next } = stateOf(created.loopKind, records);
  expect({ state, next }).toMatchObject(expected[name.replace('.jsonl', '')] ?? {});
  expect(state.loopKind).toBe(name.replace(/-(ended|unfinished)\.jsonl$/, ''));
});

function stateOf(kind: string, records: ReturnType<typeof readJournal>['records']) {
  switch (kind) {
    case 'run':
      return folded(runMachine, records);
    case 'stories':
      return folded(storiesMachine, records);
    case 'swarm':
      return folded(ralphMachine, records);
    case 'session':
      return folded(sessionMachine, records);
    default:
      return folded(taskMachine, records);
  }
}

function folded<Data>(machine: LoopMachine<Data>, records: ReturnType<typeof readJournal>['records']) {
  const { data, ...state } = fold(machine, records);
  const next: Action | null = isOver({ ...state, data }) ? null : machine.next({ ...state, data });
  return { state, next };
}
