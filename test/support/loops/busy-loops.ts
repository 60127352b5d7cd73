/** Loops as if supervisors ran them: locks are held; journals and the output of agents grow. (For benchmarks.) */
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fold, loopMachine } from '../../../src/core/machine/machine.ts';
import type { Recorded } from '../../../src/core/record.ts';
import { runRules } from '../../../src/loops/run/rules.ts';
import { tryLock } from '../../../src/state/lock.ts';
import { journalPath, loopFolder, loopLock, newLoopId } from '../../../src/state/paths.ts';
import { statusOf, writeStatus } from '../../../src/state/registry.ts';

const machine = loopMachine(runRules);

interface Wanted {
  readonly count: number;
  /** How many of them have a supervisor. */
  readonly working: number;
  /** The records of a run of two iterations, the template for all of them. */
  readonly records: readonly Recorded[];
}

/** The range of one iteration in the template, from its inputs to the wait. */
const [ITERATION_FROM, ITERATION_TO] = [1, 7];
const ITERATIONS = 8;

export function busyLoops(root: string, { count, working, records }: Wanted) {
  const loops = Array.from({ length: count }, (_, number) => openLoop(root, number, records));
  const live = loops.slice(0, working);
  for (const { folder } of live) {
    mkdirSync(dirname(loopLock(folder)), { recursive: true });
    if (!tryLock(loopLock(folder), 'benchmark').got) throw new Error(`${folder} is locked`);
  }
  for (const loop of loops) {
    // Ends in the middle of an iteration: an agent is at work, or the loop was left there.
    for (let made = 0; made < ITERATIONS * (ITERATION_TO - ITERATION_FROM) + 2; made++) loop.record();
  }
  let turn = 0;
  const next = () => live[turn++ % live.length];
  return {
    /** Makes an agent print a line. */
    print: (): void => next()?.print(),
    /** Makes a loop add a record. */
    record: (): void => next()?.record(),
  };
}

function openLoop(root: string, number: number, template: readonly Recorded[]) {
  const at = Date.now();
  const id = newLoopId(at);
  const folder = loopFolder({ path: root }, id);
  mkdirSync(join(folder, 'runs'), { recursive: true, mode: 0o700 });
  const [first] = template;
  if (first?.result.kind !== 'created') throw new Error('a journal begins with its loop');
  const result = { ...first.result, id, cwd: `/work/project-${number}`, options: unlimited(first.result.options) };
  const created: Recorded = { ...first, at, result };
  let bytes = 0;
  const append = (record: Recorded): void => {
    const line = `${JSON.stringify(record)}\n`;
    bytes += Buffer.byteLength(line);
    appendFileSync(journalPath(folder), line, { mode: 0o600 });
  };
  append(created);
  let state = fold(machine, [created]);
  let made = 0;
  const loop = {
    folder,
    record(): void {
      const each = ITERATION_TO - ITERATION_FROM;
      const iteration = Math.floor(made / each) + 1;
      const from = template[ITERATION_FROM + (made % each)];
      if (from === undefined) throw new Error('the template is too short');
      made++;
      const key = from.key.replace(/^\d+/, String(iteration));
      const record = { ...from, seq: made, at: Date.now(), key, result: renumbered(from.result, iteration) };
      append(record);
      state = machine.apply(state, record);
      writeStatus(folder, statusOf(machine, state, { createdAt: at, bytes }));
    },
    print(): void {
      while (state.phase.at !== 'await') loop.record();
      const { phase } = state;
      if (phase.at !== 'await') return;
      const input = { command: `npm run build -- --step ${Date.now()} ${'x'.repeat(60)}` };
      const content = [{ type: 'tool_use', id: `t${Date.now()}`, name: 'Bash', input }];
      const line = { type: 'assistant', message: { id: 'm', role: 'assistant', content } };
      appendFileSync(join(folder, 'runs', `${phase.handle.name}.out`), `${JSON.stringify(line)}\n`);
    },
  };
  return loop;
}

function unlimited(options: unknown): unknown {
  return { ...(options as Record<string, unknown>), maximumIterations: 1_000_000, agent: { command: 'claude' } };
}

/** Adapts the result to the iteration: the inputs contain the limit, and a run contains its name. */
function renumbered(result: Recorded['result'], iteration: number): Recorded['result'] {
  if (result.kind === 'inputs' && result.inputs !== undefined) {
    const inputs = { ...(result.inputs as Record<string, unknown>), maximumIterations: 1_000_000 };
    return { ...result, inputs };
  }
  if (result.kind !== 'started') return result;
  return { ...result, handle: { ...result.handle, name: `${iteration}-work-1` } };
}
