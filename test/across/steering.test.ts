/**
 * A loop of any kind that runs in one pane of a real tmux can be listed, followed, told something, paused, resumed and
 * stopped from another; what the commands show agrees with the journal.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Recorded } from '../../src/core/record.ts';
import { parseJournal } from '../../src/state/journal.ts';
import { processesOf } from '../support/programs/processes.ts';
import { paneServer } from '../support/terminal/panes.ts';
import { type Bench, KIND_NAMES, KINDS, type KindName, type Play } from './bench.ts';

/** Each agent says that it is at work, and waits until the test lets it continue. */
const GATED: Play = (done) => `
if [ -e "$HOME/finish" ]; then ${done}; exit; fi
n=$(ls "$HOME" | grep -c '^at-work-'); n=$((n + 1))
echo "agent $n is at work"
touch "$HOME/at-work-$n"
while [ ! -e "$HOME/go-$n" ]; do sleep 0.02; done
echo "agent $n leaves"`;

const LOOK_EVERY_MS = 20;
const EXIT = '--exit-code:';

/** The kind as the journal names it. */
const LOOP_KIND: Readonly<Record<KindName, string>> = { run: 'run', stories: 'stories', tasks: 'task', swarm: 'swarm' };

type AfterStop = (bench: Bench, panes: ReturnType<typeof panesOf>, row: string) => Promise<void>;

/** The same loop continues. Its next prompt repeats what was told before the stop, which ended the agent early. */
const goesOn: AfterStop = async (bench, panes) => {
  expect(await panes.typed('ralph tell "Keep it short."')).toContain('Saved: ');
  expect((await panes.run('ralph resume').ended()).code).toBe(0);
  expect(toldIn(bench)).toEqual(['Use tabs.', 'Keep it short.']);
  const [prompt = ''] = promptsWith(bench, 'Keep it short.');
  expect(readFileSync(prompt, 'utf8')).toContain('Use tabs.');
  expect(readdirSync(join(bench.state, 'ralph/loops'))).toHaveLength(1);
};

/** A stopped worker is over: no command offers to resume it. */
const isOver: AfterStop = async (bench, _panes, row) => {
  expect(row).not.toContain('ralph resume');
  expect((await bench.type('ralph resume agent')).code).not.toBe(0);
  expect((await bench.type('ralph tell agent "Too late."')).code).not.toBe(0);
};

const AFTER_STOP: Readonly<Record<KindName, AfterStop>> = {
  run: goesOn,
  stories: goesOn,
  tasks: goesOn,
  swarm: isOver,
};

describe.each(KIND_NAMES)('a loop of %s', (kind) => {
  test('can be listed, followed, told something, paused, resumed and stopped from another pane', async () => {
    const bench = KINDS[kind](GATED);
    const panes = panesOf(bench);
    const loop = panes.run(bench.beginLine(9));
    await atWork(bench, 1);

    const listed = await panes.typed('ralph ls');
    expect(listed).toMatch(new RegExp(`^● \\w{4,} +${LOOP_KIND[kind]} .* working .* 1/9 `, 'm'));
    expect(await panes.json('ralph ls --json')).toMatchObject([shownOf(bench)]);
    expect(await panes.typed('ralph status')).toMatch(/iteration +1 of 9/);
    expect(await panes.typed('ralph logs')).toContain('agent 1 is at work');
    const follower = panes.run('ralph logs -f');

    expect(await panes.typed('ralph tell "Use tabs."')).toContain('gets it with its next prompt');
    expect(await panes.typed('ralph pause')).toContain('pauses after this iteration');
    letGo(bench, 1);
    await panes.until('ralph status --json', '"words": "paused"');
    expect(startsIn(bench)).toBe(1);

    expect(await panes.typed('ralph resume')).toContain('Resumed loop');
    await atWork(bench, 2);
    expect(toldIn(bench)).toEqual(['Use tabs.']);
    expect(promptsWith(bench, 'Use tabs.').length).toBeGreaterThan(0);
    await follower.shows('agent 2 is at work');

    expect(await panes.typed('ralph stop --now')).toContain('stops now');
    expect((await loop.ended()).code).toBe(kind === 'swarm' ? 1 : 130);
    expect((await follower.ended()).code).toBe(0);
    const stopped = new RegExp(`^✗ \\w{4,} +${LOOP_KIND[kind]} .* stopped .* 2/9 `, 'm');
    const row = await panes.typed('ralph ls');
    expect(row).toMatch(stopped);
    expect(journalOf(bench).at(-1)?.result).toMatchObject({ kind: 'ended', ending: { kind: 'stopped' } });

    writeFileSync(join(homeOf(bench), 'finish'), '');
    await AFTER_STOP[kind](bench, panes, row);
  });

  test('whose supervisor was killed is shown as such, keeps messages, and continues with ralph resume', async () => {
    const bench = KINDS[kind](GATED);
    const panes = panesOf(bench);
    panes.run(bench.beginLine(9));
    await atWork(bench, 1);
    const [{ supervisor }] = (await panes.json('ralph ls --json')) as [{ supervisor: { pid: number } }];
    process.kill(supervisor.pid, 'SIGKILL');
    await panes.until('ralph ls', 'supervisor died');
    expect(await panes.typed('ralph ls')).toMatch(/^✗ (\w{4,}) .* supervisor died .* ralph resume \1(?: · .*)?$/m);
    expect(await panes.typed('ralph tell "Use tabs."')).toContain('Saved: ');
    writeFileSync(join(homeOf(bench), 'finish'), '');
    // Swarm adopts the agent, which is still waiting.
    letGo(bench, 1);
    const continued = panes.run('ralph resume');
    expect((await continued.ended()).code).toBe(0);
    expect(toldIn(bench)).toEqual(['Use tabs.']);
    expect(promptsWith(bench, 'Use tabs.').length).toBeGreaterThan(0);
    expect(await panes.typed('ralph ls')).toMatch(/^✓ \w{4,} .* done /m);
  });
});

test('each of several simultaneous commands takes effect once, even if the supervisor is replaced', async () => {
  const bench = KINDS.run(GATED);
  const panes = panesOf(bench);
  panes.run(bench.beginLine(9));
  await atWork(bench, 1);
  const words = Array.from({ length: 8 }, (_, index) => `message ${index}`);
  await Promise.all(words.map((word) => bench.type(`ralph tell "${word}"`)));
  const [{ supervisor }] = (await panes.json('ralph ls --json')) as [{ supervisor: { pid: number } }];
  process.kill(supervisor.pid, 'SIGKILL');
  await panes.until('ralph ls', 'supervisor died');
  const continued = panes.run('ralph resume');
  await atWork(bench, 2);
  await Promise.all([bench.type('ralph tell "late"'), bench.type('ralph stop')]);
  letGo(bench, 2);
  expect((await continued.ended()).code).toBe(130);
  expect(toldIn(bench).toSorted()).toEqual([...words, 'late'].toSorted());
});

test('an agent cannot steer its own loop', async () => {
  const play: Play = (done) => `ralph stop >"$HOME/tried" 2>&1; echo "exit $?" >>"$HOME/tried"; ${done}`;
  const bench = KINDS.run(play);
  expect((await bench.type(bench.beginLine(1))).code).toBe(0);
  expect(readFileSync(join(homeOf(bench), 'tried'), 'utf8')).toMatch(
    /error: an agent cannot steer its own loop\nexit 1\n$/,
  );
});

const homeOf = ({ env }: Bench): string => env.HOME ?? '';

/** Waits for both: the agent can be at work before the loop has recorded its start. */
async function atWork(bench: Bench, agent: number): Promise<void> {
  while (!existsSync(join(homeOf(bench), `at-work-${agent}`))) await sleep(LOOK_EVERY_MS);
  while (startsIn(bench) < agent) await sleep(LOOK_EVERY_MS);
}

const startsIn = (bench: Bench): number => journalOf(bench).filter(({ result }) => result.kind === 'started').length;

function letGo(bench: Bench, agent: number): void {
  writeFileSync(join(homeOf(bench), `go-${agent}`), '');
}

function loopFolderOf({ state }: Bench): string {
  const loops = join(state, 'ralph/loops');
  const [id = ''] = readdirSync(loops);
  return join(loops, id);
}

function journalOf(bench: Bench): Recorded[] {
  const path = join(loopFolderOf(bench), 'journal.jsonl');
  return parseJournal(readFileSync(path), path).records;
}

function toldIn(bench: Bench): string[] {
  return journalOf(bench).flatMap(({ result }) =>
    ('told' in result ? (result.told ?? []) : []).map(({ text }) => text),
  );
}

/** What the list must show according to the journal. */
function shownOf(bench: Bench): object {
  const records = journalOf(bench);
  const created = records[0]?.result;
  if (created?.kind !== 'created') throw new Error('the journal has no first record');
  const { id, loopKind, cwd } = created;
  return {
    id,
    loopKind,
    cwd,
    iterations: startsIn(bench),
    phase: { at: 'await' },
    updatedAt: records.at(-1)?.at,
    ending: null,
  };
}

/** The prompt files that contain these words, wherever this kind of loop keeps its prompts. */
function promptsWith(bench: Bench, words: string): string[] {
  const files = readdirSync(bench.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /prompt/i.test(join(entry.parentPath, entry.name)))
    .map((entry) => join(entry.parentPath, entry.name));
  return files.filter((file) => readFileSync(file, 'utf8').includes(words));
}

/** Panes of one tmux server, which run command lines as a person would. */
function panesOf({ folder, work, typed }: Bench) {
  const server = paneServer({ columns: 120, rows: 40 });
  const variables = Object.entries(typed).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  let made = 0;
  const shells: number[] = [];
  onTestFinished(async () => {
    await server.kill();
    // The shells take a moment to exit, and the test must leave no process in its folder.
    while (processesOf(folder).some(({ pid }) => shells.includes(pid))) await sleep(LOOK_EVERY_MS);
  });
  const run = (line: string) => {
    const whole = `cd '${work}'; ${line}; printf '\\n${EXIT}%s\\n' $?; read -r _`;
    const pane = server.pane(`pane-${made++}`, 'env', '-i', 'TERM=xterm-256color', ...variables, 'sh', '-c', whole);
    shells.push(Number(server.tmux('display-message', '-p', '-t', pane, '#{pane_pid}')));
    const screen = (): string =>
      server
        .tmux('capture-pane', '-p', '-J', '-S', '-', '-t', pane)
        .replaceAll(/[ \t]+$/gm, '')
        .trimEnd();
    const shows = async (text: string): Promise<string> => {
      for (let now = screen(); ; now = screen()) {
        if (now.includes(text)) return now;
        if (now.includes(EXIT)) throw new Error(`it ended without "${text}":\n${now}`);
        await sleep(LOOK_EVERY_MS);
      }
    };
    return {
      shows,
      async ended(): Promise<{ readonly code: number; readonly screen: string }> {
        const [shown = '', code] = (await shows(EXIT)).split(EXIT);
        return { code: Number(code), screen: shown.trimEnd() };
      },
      close: () => void server.tmux('kill-pane', '-t', pane),
    };
  };
  const typedLine = async (line: string): Promise<string> => {
    const pane = run(line);
    const { code, screen } = await pane.ended();
    if (code !== 0) throw new Error(`${line}: exit ${code}\n${screen}`);
    pane.close();
    return screen;
  };
  return {
    run,
    /** Runs a line, which must succeed, and returns what it showed. */
    typed: typedLine,
    /** Redirects the output to a file: a screen would break long lines. */
    async json(line: string): Promise<unknown> {
      const file = join(folder, 'shown.json');
      rmSync(file, { force: true });
      await typedLine(`${line} >'${file}'`);
      return JSON.parse(readFileSync(file, 'utf8'));
    },
    async until(line: string, words: string): Promise<void> {
      while (!(await typedLine(line)).includes(words)) await sleep(LOOK_EVERY_MS);
    },
  };
}
