/**
 * `ralph top` in a real terminal while loops of all five kinds run: the screen agrees with their journals, and every
 * key acts on the real loop.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fold } from '../../src/core/machine/machine.ts';
import type { Recorded } from '../../src/core/record.ts';
import { parseJournal } from '../../src/state/journal.ts';
import { statusOf } from '../../src/state/registry.ts';
import { type Tab, tabsFor } from '../../src/tui/state.ts';
import { machineOf } from '../../src/views/machines.ts';
import { opened } from '../support/mcp-client.ts';
import type { Program } from '../support/programs/program.ts';
import { hookedSession } from '../support/session/session-loop.ts';
import { openTerminal, type Terminal } from '../support/terminal/terminal.ts';
import { type Bench, KIND_NAMES, KINDS, type KindName, type Play } from './bench.ts';

const LOOK_EVERY_MS = 20;
const LIMIT = 9;

/** Each agent says that it is at work, and waits until the test lets it continue; the last one changes a file. */
const GATED = (kind: KindName): Play => {
  const [say, end] = kind in NAMED ? ['claude_says', 'claude_result ok'] : ['echo', ':'];
  return (done) => `
if [ -e "$HOME/finish" ]; then
  grep -q "by ${kind}" work.txt 2>/dev/null || echo "by ${kind}" >>work.txt
  ${kind === 'tasks' ? 'git commit --quiet --all --message=own' : ':'}; ${done}; ${end}; exit
fi
n=$(ls "$HOME" | grep -c '^at-work-'); n=$((n + 1))
${say} "agent $n of ${kind} is at work"
touch "$HOME/at-work-$n"
while [ ! -e "$HOME/go-$n" ]; do sleep 0.02; done
${say} "agent $n leaves"; ${end}`;
};

/** The kinds that this test runs with an agent that reports its cost. */
const NAMED: Readonly<Partial<Record<KindName, string>>> = { stories: 'claude', tasks: 'claude' };

const gated = (kind: KindName): Bench => KINDS[kind](GATED(kind), NAMED[kind]);

const LOOP_KIND: Readonly<Record<KindName, string>> = { run: 'run', stories: 'stories', tasks: 'task', swarm: 'swarm' };

const KINDS_OF_LOOP = [...Object.values(LOOP_KIND), 'session'];
const MACHINES = new Map(await Promise.all(KINDS_OF_LOOP.map(async (kind) => [kind, await machineOf(kind)] as const)));

interface Started {
  readonly bench: Bench;
  readonly program: Program;
}

test('the screen agrees with the journals of all loops; keys tell, pause, resume and stop each of them', async () => {
  const first = gated('run');
  const state = join(first.folder, 'shared');
  mkdirSync(state, { mode: 0o700 });
  const started = new Map<KindName, Started>();
  for (const kind of KIND_NAMES) {
    const bench = kind === 'run' ? first : gated(kind);
    started.set(kind, { bench, program: bench.begin(LIMIT, { env: { XDG_STATE_HOME: state } }) });
    await atWork(bench, 1);
  }
  const session = hookedSession({ state });
  await session.type('ralph-loop', '"Mind the shop" --max-iterations 9');

  const terminal = openTerminal({ ...first, env: { ...first.typed, XDG_STATE_HOME: state } }, 'ralph top', {
    columns: 170,
    rows: 50,
  });
  await terminal.until((screen) => rowsIn(screen).length === 5 && screen.includes('5 loops'));
  await terminal.until((screen) => rowsIn(screen).every((row) => isAsJournalSays(row, state)));
  await terminal.until((screen) => /^.● .* in its session .* Mind the shop$/.test(rowOf(screen, 'session')));

  for (const [kind, { bench, program }] of started) {
    const loopKind = LOOP_KIND[kind];
    const records = (): Recorded[] => journalOf(state, loopKind);
    await choose(terminal, loopKind);
    await terminal.shows(`agent 1 of ${kind} is at work`);

    if (kind === 'stories') {
      terminal.press('3');
      await terminal.until((screen) => screen.includes('US-001') && screen.includes('Stories: 0/1 complete'));
      terminal.press('1');
    }
    if (kind === 'tasks') {
      terminal.press('6');
      await terminal.shows('(RUN_START) run started');
      terminal.press('1');
    }
    if (kind === 'swarm') {
      terminal.press('A');
      await terminal.shows('You are inside tmux. In another terminal, run: tmux');
      await attachAndDetach({ ...bench, env: { ...bench.typed, XDG_STATE_HOME: state } }, loopKind);
    }
    terminal.press('t');
    await terminal.until((screen) => /^ tell \w+: ?$/m.test(screen));
    terminal.type(`Use tabs in ${kind}.`);
    await terminal.shows('gets it with its next prompt');
    terminal.press('p');
    await terminal.until((screen) => / pausing /.test(rowOf(screen, loopKind)));
    letGo(bench, 1);
    await terminal.until((screen) => / paused /.test(rowOf(screen, loopKind)));
    expect(records().filter(({ result }) => result.kind === 'started')).toHaveLength(1);
    expect(records().at(-1)?.result).toMatchObject({ kind: 'waited', command: 'pause' });

    terminal.press('r');
    await atWork(bench, 2);
    await terminal.until((screen) => / working .* 2\/9 /.test(rowOf(screen, loopKind)));
    expect(toldIn(records())).toEqual([`Use tabs in ${kind}.`]);
    await terminal.shows(`agent 2 of ${kind} is at work`);

    terminal.press('s');
    await terminal.until((screen) => /^ Stop loop \w+ after this iteration\? y\/n$/m.test(screen));
    terminal.press('n');
    await terminal.shows('Nothing was changed.');
    terminal.press('s');
    await terminal.until((screen) => screen.includes('after this iteration? y/n'));
    terminal.press('y');
    await terminal.until((screen) => / stopping /.test(rowOf(screen, loopKind)));
    letGo(bench, 2);
    await terminal.until((screen) => /^.✗ .* stopped .* 2\/9 /.test(rowOf(screen, loopKind)));
    await program.exited;
    expect(records().at(-1)?.result).toMatchObject({ kind: 'ended', ending: { kind: 'stopped' } });
    expect(isAsJournalSays(rowOf(terminal.screen(), loopKind), state)).toBe(true);
    // Clears the filter that chose this loop.
    terminal.press('Escape');
    await terminal.until((screen) => rowsIn(screen).length === 5);
  }

  await choose(terminal, 'session');
  terminal.press('t');
  await terminal.until((screen) => /^ tell \w+: ?$/m.test(screen));
  terminal.type('Use tabs in the session.');
  await terminal.until((screen) => / 1 message · /.test(rowOf(screen, 'session')));
  const next = await session.stop('I am not done yet.');
  expect(next).toMatchObject({ decision: 'block', reason: expect.stringContaining('Use tabs in the session.') });
  await terminal.until((screen) => !rowOf(screen, 'session').includes('message'));
  expect(isAsJournalSays(rowOf(terminal.screen(), 'session'), state)).toBe(true);
  terminal.press('p');
  await terminal.until((screen) => / pausing /.test(rowOf(screen, 'session')));
  expect(await session.stop('I am not done yet.')).not.toMatchObject({ decision: 'block' });
  await terminal.until((screen) => / paused /.test(rowOf(screen, 'session')));
  await session.type('ralph-loop', '--resume');
  await terminal.until((screen) => / in its session /.test(rowOf(screen, 'session')));
  terminal.press('s');
  await terminal.until((screen) => screen.includes('after this iteration? y/n'));
  terminal.press('y');
  await terminal.until((screen) => / stopping /.test(rowOf(screen, 'session')));
  expect(await session.stop('I am still not done.')).not.toMatchObject({ decision: 'block' });
  await terminal.until((screen) => /^.✗ .* stopped /.test(rowOf(screen, 'session')));
  expect(journalOf(state, 'session').at(-1)?.result).toMatchObject({ kind: 'ended', ending: { kind: 'stopped' } });
  terminal.press('Escape');
  await terminal.until((screen) => rowsIn(screen).length === 5);

  for (const [loopKind, why] of [
    ['swarm', 'It is over: it cannot be resumed.'],
    ['session', 'It runs inside a session. Open that session again, and type: /ralph-loop --resume'],
  ] as const) {
    await choose(terminal, loopKind);
    terminal.press('r');
    await terminal.shows(why);
    terminal.press('Escape');
    await terminal.until((screen) => rowsIn(screen).length === 5);
  }
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
  terminal.close();

  // The other kinds can be resumed in the background.
  for (const kind of ['run', 'stories', 'tasks'] as const) {
    const { bench } = started.get(kind) ?? {};
    if (bench === undefined) throw new Error('it was started');
    writeFileSync(join(bench.env.HOME ?? '', 'finish'), '');
    await inOwnTop(bench, state, async (own) => {
      await choose(own, LOOP_KIND[kind]);
      await resumedInBackground(own, LOOP_KIND[kind]);
      if (kind !== 'run') await tabsSayWhatTheJournalSays(own, kind, { work: bench.work, state });
    });
    const ends = journalsOf(state, LOOP_KIND[kind]).map((records) => records.at(-1)?.result);
    expect(ends.at(-1)).toMatchObject({ kind: 'ended', ending: { kind: 'done' } });
  }
});

/** For a loop that is done, and whose agent has committed. For `ralph run`, see `test/e2e/top/loop.test.ts`. */
async function tabsSayWhatTheJournalSays(
  terminal: Terminal,
  kind: KindName,
  { work, state }: { readonly work: string; readonly state: string },
): Promise<void> {
  const loopKind = LOOP_KIND[kind];
  await choose(terminal, loopKind);
  terminal.press('Enter');
  await terminal.shows('Esc back');
  const turnTo = (tab: Tab): void => terminal.press(String(tabsFor(loopKind).indexOf(tab) + 1));
  const results = journalOf(state, loopKind).map(({ result }) => result);
  const ran = results.flatMap((result) => (result.kind === 'ran' ? [result] : []));
  const cost = ran.reduce((sum, { account }) => sum + (account?.costUsd ?? 0), 0);

  const commits = execFileSync('git', ['log', '--format=%h', '--abbrev=7', '--grep=^own\\|^work of'], {
    cwd: work,
    encoding: 'utf8',
  });
  expect(commits).not.toBe('');
  expect(cost).toBeGreaterThan(0);
  turnTo('commits');
  for (const commit of commits.trim().split('\n'))
    await terminal.until((screen) => new RegExp(`^ \\w{7}\\.\\.${commit} .* agent `, 'm').test(screen));
  turnTo('cost');
  await terminal.until((screen) => new RegExp(`^ +all +${ran.length} +\\$${cost.toFixed(2)} `, 'm').test(screen));
  turnTo('diff');
  await terminal.until((screen) => screen.includes('all changes') && screen.includes(`+by ${kind}`));
}

/** How an agent of each kind asks a question. */
const ASKS: Readonly<Record<'run' | 'stories' | 'tasks', string>> = {
  run: 'echo "<response>BLOCKED: Redis or files?</response>"',
  stories: 'echo "<promise>DECIDE:Redis or files?</promise>"',
  tasks: 'ralph bus post --type QUESTION --body "Redis or files?"; exit 42',
};

test('a key answers a loop that asks, and resumes it; the other kinds say that they ask nothing', async () => {
  const asking = (ask: string): Play => {
    return (done) => `if [ -e "$HOME/asked" ]; then ${done}; exit; fi; touch "$HOME/asked"; ${ask}`;
  };
  const kinds = Object.keys(ASKS) as (keyof typeof ASKS)[];
  const benches = kinds.map((kind) => KINDS[kind](asking(ASKS[kind])));
  const [first] = benches;
  if (first === undefined) throw new Error('there are three');
  // `ralph run` accepts BLOCKED only if the prompt mentions it.
  writeFileSync(join(first.work, 'PROMPT.md'), 'Do the work, or say <response>BLOCKED: why</response>.\n');
  const state = join(first.folder, 'shared');
  mkdirSync(state, { mode: 0o700 });
  const shared = { XDG_STATE_HOME: state };
  await Promise.all(benches.map((bench) => bench.begin(5, { env: { ...shared, PATH: bench.typed.PATH } }).exited));
  const worker = gated('swarm');
  const program = worker.begin(1, { env: shared });
  await atWork(worker, 1);
  const session = hookedSession({ state });
  await session.type('ralph-loop', '"Mind the shop" --max-iterations 9');

  for (const [index, kind] of kinds.entries()) {
    const loopKind = LOOP_KIND[kind];
    await inOwnTop(benches[index] ?? first, state, async (terminal) => {
      await terminal.until((screen) => /^.! .* needs you .*Redis or files\?/.test(rowOf(screen, loopKind)));
      await choose(terminal, loopKind);
      terminal.press('a');
      await terminal.until((screen) => /^ answer \w+: ?$/m.test(screen));
      terminal.type(`Redis, for ${kind}.`);
      await terminal.until((screen) => / answered /.test(rowOf(screen, loopKind)));
      await resumedInBackground(terminal, loopKind);
    });
    // A task continues in a new loop, which begins with the answer.
    expect(JSON.stringify(journalsOf(state, loopKind).at(-1))).toContain(`Redis, for ${kind}.`);
  }
  await inOwnTop(first, state, async (terminal) => {
    for (const loopKind of ['swarm', 'session']) {
      await choose(terminal, loopKind);
      terminal.press('a');
      await terminal.shows('It is not asking anything. To tell its agent something, press t.');
      terminal.press('Escape');
      await terminal.until((screen) => rowsIn(screen).length === 5);
    }
  });
  await theOlderLoopOfTheTaskIsOver({ ...first, state });
  letGo(worker, 1);
  await program.exited;
});

/** The task continues in a newer loop, so no list may say that the older one needs a person or can be resumed. */
async function theOlderLoopOfTheTaskIsOver(place: Pick<Bench, 'folder' | 'work' | 'typed' | 'state'>): Promise<void> {
  const { state } = place;
  const env = { ...place.typed, XDG_STATE_HOME: state };
  const [older, newer] = journalsOf(state, 'task').map(([begin]) => {
    return begin?.result.kind === 'created' ? begin.result.id : '';
  });
  const client = await opened({ ...place, env });
  const { data } = await client.call<{ loops: { id: string; state: string }[] }>('list_loops');
  expect(data.loops.map(({ id }) => id)).toContain(newer);
  expect(data.loops.filter((loop) => loop.state === 'needs-you' || loop.id === older)).toEqual([]);
  expect((await client.call('loop_status', { loop: older })).data).toMatchObject({ canBeResumed: false });
  await client.close();

  const terminal = openTerminal({ ...place, env }, 'ralph top --all', { columns: 170, rows: 50 });
  await terminal.until((screen) => rowsIn(screen).length === 6);
  terminal.press('/');
  await terminal.until((screen) => /^ filter: ?$/m.test(screen));
  terminal.type(ownPart(older ?? '').slice(0, 4));
  await terminal.until((screen) => screen.includes('(Esc clears)') && rowsIn(screen).length === 1);
  for (const key of ['r', 'a', 't']) {
    terminal.press(key);
    await terminal.shows(`It is over: its task goes on in loop ${ownPart(newer ?? '').slice(0, 4)}`);
    terminal.press('Up');
    await terminal.until((screen) => !screen.includes('goes on in loop'));
  }
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
  terminal.close();
}

/** Runs `ralph top` in the loop's own environment, which it passes on to the loops that it starts in the background. */
async function inOwnTop(bench: Bench, state: string, use: (terminal: Terminal) => Promise<void>): Promise<void> {
  const place = { ...bench, env: { ...bench.typed, XDG_STATE_HOME: state } };
  const terminal = openTerminal(place, 'ralph top', { columns: 170, rows: 50 });
  await terminal.until((screen) => rowsIn(screen).length === 5);
  await use(terminal);
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
  terminal.close();
}

/** Resumes the chosen loop. A task continues in another loop, so any loop of this kind that is done will do. */
async function resumedInBackground(terminal: Terminal, loopKind: string): Promise<void> {
  terminal.press('r');
  await terminal.until((screen) => screen.includes('in the background? y/n'));
  terminal.press('y');
  await terminal.until((screen) => !screen.includes('y/n'));
  terminal.press('Escape');
  await terminal.until((screen) => /^.✓ .* done /.test(rowOf(screen, loopKind)) && rowsIn(screen).length === 5);
}

/** Unsets TMUX, so that ralph believes that its terminal is outside of tmux. */
async function attachAndDetach(place: Pick<Bench, 'folder' | 'work' | 'env'>, loopKind: string): Promise<void> {
  const terminal = openTerminal(place, 'unset TMUX; ralph top', { columns: 170, rows: 50 });
  await terminal.until((screen) => rowOf(screen, loopKind) !== '');
  await choose(terminal, loopKind);
  terminal.press('A');
  await terminal.until((screen) => screen.includes('is at work') && !screen.includes('ralph top'));
  // Sent to the pane directly, so it reaches the inner tmux, although the outer one has the same prefix key.
  terminal.press('C-b');
  terminal.press('d');
  await terminal.until((screen) => screen.includes('ralph top   5 loops'));
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
}

/** Selects a loop with the filter, as a person would. */
async function choose(terminal: Terminal, loopKind: string): Promise<void> {
  const [, short = ''] = rowOf(terminal.screen(), loopKind).slice(1).trim().split(/\s+/);
  terminal.press('/');
  await terminal.until((screen) => /^ filter: ?$/m.test(screen));
  terminal.type(short);
  await terminal.until((screen) => rowOf(screen, loopKind).startsWith('▸') && screen.includes('(Esc clears)'));
}

/** The lines between the column headings and the tabs. */
function rowsIn(screen: string): string[] {
  const lines = screen.split('\n');
  const from = lines.findIndex((line) => /^ +LOOP +KIND/.test(line));
  const to = lines.findIndex((line, index) => index > from && line.startsWith('─'));
  return lines.slice(from + 1, to).filter((line) => line.trim() !== '');
}

const kindOf = (row: string): string => row.slice(1).trim().split(/\s+/)[2] ?? '';
const rowOf = (screen: string, loopKind: string): string =>
  rowsIn(screen).find((row) => kindOf(row) === loopKind) ?? '';

/** Compares the name, the kind, the number of iterations, and whether the loop is over. */
function isAsJournalSays(row: string, state: string): boolean {
  const [, short = '', kind = ''] = row.slice(1).trim().split(/\s+/);
  const records = journalOf(state, kind);
  const created = records[0]?.result;
  if (created?.kind !== 'created' || !ownPart(created.id).startsWith(short)) return false;
  const runs = records.filter(({ key, result }) => result.kind === 'started' && /^\d+\/work\//.test(key)).length;
  const isOver = records.at(-1)?.result.kind === 'ended';
  const machine = MACHINES.get(kind);
  if (machine == null) throw new Error(`${kind} is no kind of loop`);
  const { iterations } = statusOf(machine, fold(machine, records), { createdAt: 0, bytes: 0 });
  // A session's agent is started by a person.
  const counted = kind === 'session' ? iterations : runs;
  return iterations === counted && row.includes(` ${counted}/${LIMIT} `) && isOver === /^.[✗✓]/.test(row);
}

const ownPart = (id: string): string => (id.startsWith('session-') ? id.slice('session-'.length) : id.slice(-8));

/** Oldest first. */
function journalsOf(state: string, loopKind: string): Recorded[][] {
  const loops = join(state, 'ralph/loops');
  const journals = readdirSync(loops).map((id) => {
    const path = join(loops, id, 'journal.jsonl');
    return parseJournal(readFileSync(path), path).records;
  });
  const ofKind = journals.filter(([begin]) => begin?.result.kind === 'created' && begin.result.loopKind === loopKind);
  return ofKind.toSorted(([a], [b]) => (a?.at ?? 0) - (b?.at ?? 0));
}

const journalOf = (state: string, loopKind: string): Recorded[] => journalsOf(state, loopKind)[0] ?? [];

function toldIn(records: readonly Recorded[]): string[] {
  return records.flatMap(({ result }) => ('told' in result ? (result.told ?? []) : []).map(({ text }) => text));
}

async function atWork(bench: Bench, agent: number): Promise<void> {
  while (!existsSync(join(bench.env.HOME ?? '', `at-work-${agent}`))) await sleep(LOOK_EVERY_MS);
}

function letGo(bench: Bench, agent: number): void {
  writeFileSync(join(bench.env.HOME ?? '', `go-${agent}`), '');
}
