/** The tools that read: they list loops, and show the state, the iterations and the log of one. */
import * as z from 'zod/mini';
import { RalphError } from '../../core/error.ts';
import { questionOf } from '../../core/state.ts';
import { isReadable, type ReadableLoop, type StoredLoop } from '../../engine/store/loop-store.ts';
import { shortNames } from '../../state/short-names.ts';
import { activityOf } from '../../views/activity.ts';
import { foundLoop } from '../../views/found-loop.ts';
import { CONDITIONS, conditionOf } from '../../views/loop-condition.ts';
import { isHere } from '../../views/loop-names.ts';
import { taskOf, wholeTaskOf } from '../../views/loop-task.ts';
import { knownUsage, workedFor } from '../../views/loop-words.ts';
import { machineOf } from '../../views/machines.ts';
import { isAsking, isResumable, notSucceeded, successorOf, withoutTaken } from '../../views/resumable.ts';
import { timelineOf } from '../../views/timeline/timeline.ts';
import { shownData } from '../shown.ts';
import { LOOP, type ToolContext, tool, UNTRUSTED } from '../tool.ts';
import { logPage } from './log-page.ts';

const LONG = 2000;
const SHORT = 300;

const count = (most: number, otherwise: number, what: string) =>
  z._default(
    z
      .int({ error: 'must be a whole number' })
      .check(
        z.minimum(1, { error: 'must be at least 1' }),
        z.maximum(most, { error: `must be at most ${most}` }),
        z.describe(what),
      ),
    otherwise,
  );

export const listTool = tool({
  name: 'list_loops',
  title: 'List loops',
  description: `List the loops of ralph on this machine: those that need a person first, then those that run, then the newest. ${UNTRUSTED}`,
  needs: 'read',
  form: z.strictObject({
    here: z.optional(
      z
        .boolean({ error: 'must be true or false' })
        .check(z.describe("Only loops of this server's working directory. All of them unless given.")),
    ),
    most: count(100, 30, 'Maximum number of loops; 30 unless given.'),
  }),
  async run({ here = false, most }, context) {
    const all = await context.store.list();
    const names = shortNames(all.map(({ id }) => id));
    const readable = all.filter(isReadable);
    // A loop whose task continues in another loop no longer needs a person.
    const shown = notSucceeded(readable)
      .filter((loop) => !here || isHere(loop, context.cwd))
      .sort(byUrgency);
    const loops = await Promise.all(shown.slice(0, most).map((loop) => brief(loop, names, context)));
    const unreadable = all.length - readable.length;
    return { data: { loops, more: Math.max(0, shown.length - most), ...(unreadable > 0 ? { unreadable } : {}) } };
  },
});

function byUrgency(a: ReadableLoop, b: ReadableLoop): number {
  const rank = (loop: ReadableLoop): number => CONDITIONS.indexOf(conditionOf(loop, isoTime).is);
  return rank(a) - rank(b) || b.createdAt - a.createdAt;
}

const isoTime = (at: number): string => new Date(at).toISOString();

async function brief(loop: ReadableLoop, names: ReadonlyMap<string, string>, context: ToolContext): Promise<object> {
  const { store, show } = context;
  const [task, activity] = await Promise.all([taskOf(store, loop), activityOf(store, loop)]);
  const state = conditionOf(loop, isoTime);
  const text = (value: string | null): string | null => (value === null ? null : show(value, SHORT));
  return {
    loop: names.get(loop.id) ?? loop.id,
    id: loop.id,
    kind: loop.loopKind,
    directory: show(loop.about.cwd ?? loop.cwd, SHORT),
    ...(loop.about.name === undefined ? {} : { name: show(loop.about.name, SHORT) }),
    state: state.is,
    stateWords: text(state.words),
    iterations: loop.iterations,
    limit: loop.about.limit,
    agent: text(loop.about.agent),
    task: text(task),
    doing: text(activity?.text ?? null),
    asks: text(asked(loop)),
    workedSeconds: Math.round(workedFor(loop, Date.now()) / 1000),
    costUsd: knownUsage(loop.usage).costUsd,
    updatedAt: isoTime(loop.updatedAt),
  };
}

/** What the loop asks a person, also if it has ended with that question. */
function asked(loop: ReadableLoop): string | null {
  const { ending } = loop;
  if (!isAsking(loop)) return null;
  return questionOf(loop) ?? (ending !== null && 'reason' in ending ? (ending.reason ?? null) : null);
}

export const statusTool = tool({
  name: 'loop_status',
  title: 'Status of a loop',
  description: `Show one loop: its state, its task, what its agent is doing, its question, its last failure, its usage. ${UNTRUSTED}`,
  needs: 'read',
  form: z.strictObject({ loop: LOOP }),
  async run({ loop: name }, context) {
    const { store, show, cwd } = context;
    const { loop: found, short, all } = await foundLoop(store, { name, cwd });
    const loop = withoutTaken(found, all);
    const task = await wholeTaskOf(store, loop);
    const names = new Map([[loop.id, short]]);
    const { ending, supervisor, usage, lastFailure, lastCommit, messages } = loop;
    const data = {
      ...(await brief(loop, names, context)),
      task: task === null ? null : show(task, LONG),
      asks: shownData(asked(loop), show, LONG),
      startedAt: isoTime(loop.createdAt),
      ending: shownData(ending, show, LONG),
      canBeResumed: isResumable(loop) && successorOf(loop, all) === null,
      supervisor,
      wanted: loop.wanted,
      lastFailure: shownData(lastFailure, show, LONG),
      lastCommit: shownData(lastCommit, show, SHORT),
      usage: knownUsage(usage),
      /** Messages that wait for the next prompt. */
      messages: shownData(messages.slice(-MOST_MESSAGES), show, LONG),
    };
    return { data, loop: loop.id };
  },
});

const MOST_MESSAGES = 10;
const MOST_ITERATIONS = 50;

export const timelineTool = tool({
  name: 'loop_timeline',
  title: 'Time line of a loop',
  description: `Show what a loop did in each of its last iterations: outcome, checks, time, cost, its commit and those of its agent. ${UNTRUSTED}`,
  needs: 'read',
  form: z.strictObject({
    loop: LOOP,
    most: count(MOST_ITERATIONS, 20, 'Maximum number of iterations; 20 unless given.'),
  }),
  async run({ loop: name, most }, { store, show, cwd }) {
    const { loop, short } = await foundLoop(store, { name, cwd });
    const machine = await machineOf(loop.loopKind);
    if (machine === null) throw unknownKind(loop);
    const { iterations, totals } = timelineOf(await store.records(loop.id), machine);
    const rows = iterations.slice(-most).map((iteration) => ({
      number: iteration.number,
      startedAt: isoTime(iteration.startedAt),
      outcome: iteration.outcome.words,
      workedSeconds: Math.round(iteration.workedMs / 1000),
      costUsd: iteration.costUsd,
      checks: iteration.checks.map(({ label, passed, how }) => ({ label, passed, how })),
      proved: iteration.proof?.passed ?? null,
      filesChanged: iteration.filesChanged,
      commit: iteration.commit,
      agentCommits: iteration.agentCommits,
      faults: iteration.faults.slice(0, 5),
    }));
    const total = {
      iterations: iterations.length,
      workedSeconds: Math.round(totals.workedMs / 1000),
      costUsd: totals.costUsd,
    };
    return { data: { loop: short, iterations: shownData(rows, show, SHORT), total }, loop: loop.id };
  },
});

const MOST_LINES = 500;

export const logTool = tool({
  name: 'loop_log',
  title: 'Log of a loop',
  description: `Show what the agent of a loop printed in one iteration, and the outcome: the last lines, or from a line on. ${UNTRUSTED}`,
  needs: 'read',
  form: z.strictObject({
    loop: LOOP,
    iteration: z.optional(
      z
        .int({ error: 'must be a whole number' })
        .check(z.minimum(1, { error: 'must be at least 1' }), z.describe('The newest one unless given.')),
    ),
    from: z.optional(
      z
        .int({ error: 'must be a whole number' })
        .check(
          z.minimum(1, { error: 'must be at least 1' }),
          z.describe('First line, from 1; the last lines unless given.'),
        ),
    ),
    lines: count(MOST_LINES, 100, 'Maximum number of lines; 100 unless given.'),
  }),
  async run({ loop: name, iteration, from, lines: most }, context) {
    const { loop, short } = await foundLoop(context.store, { name, cwd: context.cwd });
    const wanted = iteration ?? Math.max(1, loop.iterations);
    if (wanted > Math.max(1, loop.iterations)) throw noIteration(short, wanted, loop.iterations);
    const machine = await machineOf(loop.loopKind);
    if (machine === null) throw unknownKind(loop);
    const page = await logPage({ loop, machine, iteration: wanted, from: from ?? null, most }, context);
    return { data: { loop: short, iteration: wanted, ...page }, loop: loop.id };
  },
});

function noIteration(short: string, wanted: number, made: number): RalphError {
  return new RalphError('ITERATION', `loop ${short} has made ${made} iterations; there is no iteration ${wanted}`);
}

function unknownKind({ loopKind }: StoredLoop & { readonly loopKind: string }): RalphError {
  return new RalphError('LOOP_KIND', `this release cannot show loops of the kind "${loopKind}"`);
}
