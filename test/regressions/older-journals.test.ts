/** Journals of all loop kinds from older releases can be read, and their loops continue where they were. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fold } from '../../src/core/machine/machine.ts';
import { isOver } from '../../src/core/state.ts';
import { readJournal } from '../../src/state/journal.ts';
import { machineOf } from '../../src/views/machines.ts';

const FOLDER = join(import.meta.dirname, '../fixtures/journals');
/** Each set has one format version; `npm run journals` creates one. Other folders are for other tests. */
const versions = readdirSync(FOLDER).filter((name) => existsSync(join(FOLDER, name, 'expected.json')));

describe.each(versions)('written in format %s', (version) => {
  const folder = join(FOLDER, version);
  const journals = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  /** How the release that wrote the journals read them. */
  const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Record<
    string,
    { readonly state: object; readonly next: object | null }
  >;

  test('each loop kind has a journal, and each journal its expected state', () => {
    expect(new Set(journals.map(kindOf))).toEqual(
      new Set(['job', 'ralph-loop', 'run', 'session', 'stories', 'swarm', 'task']),
    );
    expect(Object.keys(expected).sort()).toEqual(journals.map((name) => name.replace('.jsonl', '')).sort());
  });

  test.each(journals)('%s', async (name) => {
    const { records, torn } = readJournal(join(folder, name));
    const created = records[0]?.result;
    if (created?.kind !== 'created') throw new Error('a journal begins with its creation');
    expect(torn).toBeNull();
    const { state, next } = await read(created.loopKind, records);
    expect({ state, next }).toMatchObject(expected[name.replace('.jsonl', '')] ?? {});
    expect(state.loopKind).toBe(kindOf(name));
  });
});

function kindOf(name: string): string {
  return name.replace(/-(ended|unfinished)\.jsonl$/, '');
}

async function read(kind: string, records: ReturnType<typeof readJournal>['records']) {
  const machine = await machineOf(kind);
  if (machine === null) throw new Error(`no machine for ${kind}`);
  const { data, ...state } = fold(machine, records);
  const next = isOver({ ...state, data }) ? null : machine.next({ ...state, data });
  return { state, next };
}
