/** `ralph status`: one loop as it is at this moment, and the commands that come next. */
import { humanDuration } from '../../core/closing/closing-summary.ts';
import { fold } from '../../core/machine.ts';
import { wrap } from '../../core/text/wrap.ts';
import { describeUsage } from '../../core/usage.ts';
import type { ReadableLoop } from '../../engine/store/loop-store.ts';
import { cutToColumns } from '../../stream/columns.ts';
import { printable } from '../../stream/printable.ts';
import { activityOf } from '../../views/activity.ts';
import { type Condition, conditionOf } from '../../views/loop-condition.ts';
import { machineOf } from '../../views/machines.ts';
import { isAsking, isResumable } from '../../views/resumable.ts';
import { clockTime } from '../terminal/words.ts';
import { foundLoop, type LoopsContext } from './context.ts';
import { placeName, workedFor } from './words.ts';

/** Two lines of a terminal. */
const LONGEST_TASK = 156;

export async function statusCommand(name: string | null, { json = false }, context: LoopsContext): Promise<number> {
  const { store, say, now, cwd } = context;
  const { loop, short } = await foundLoop(context, { name });
  const activity = await activityOf(store, loop);
  const condition = conditionOf(loop, json ? (at) => new Date(at).toISOString() : clockTime);
  if (json) {
    const { v: _v, journalBytes: _bytes, ...rest } = loop;
    const task = await taskOf(store, loop);
    say(
      JSON.stringify(
        { ...rest, name: short, task, state: condition, workedMs: workedFor(loop, now), activity },
        null,
        2,
      ),
    );
    return 0;
  }
  const { about, usage, supervisor, ending } = loop;
  const quiet = activity === null ? '' : `, quiet for ${humanDuration(Math.max(0, now - activity.changedAt))}`;
  const limit = about.limit === null ? '' : ` of ${about.limit}`;
  const rows: readonly (readonly [string, string | null])[] = [
    ['loop', loop.id],
    ['name', about.name ?? null],
    ['agent', about.agent],
    ['iteration', `${loop.iterations}${limit}${quiet}`],
    ['doing', activity?.text ?? null],
    ['started', `${clockTime(loop.createdAt)}, worked ${humanDuration(workedFor(loop, now))}`],
    ['used', usage.runs === 0 ? null : describeUsage(usage)],
    ['failure', ending === null || ending.kind === 'iteration-limit' ? loop.lastFailure : null],
    ['commit', loop.lastCommit],
    ['reason', ending !== null && 'reason' in ending ? (ending.reason ?? null) : null],
    ['supervisor', ending !== null || loop.loopKind === 'session' ? null : supervisorWords(supervisor)],
  ];
  const title = [short, loop.loopKind, placeName(about.cwd ?? loop.cwd, cwd), condition.words].join(' · ');
  say(title);
  const [task = ''] = ((await taskOf(store, loop)) ?? '').trim().split('\n');
  if (task !== '') say(cutToColumns(printable(task), LONGEST_TASK));
  say('');
  for (const [label, text] of rows) {
    const [first = ''] = text?.split('\n', 1) ?? [];
    for (const line of text === null ? [] : wrap(first, `  ${label.padEnd(11)} `, ' '.repeat(14))) say(line);
  }
  say('');
  for (const [command, why] of nextCommands(loop, short, condition.is)) say(`  ${command.padEnd(26)} ${why}`);
  return 0;
}

/** From the journal, where keys are masked. */
async function taskOf(store: LoopsContext['store'], { id, loopKind }: ReadableLoop): Promise<string | null> {
  const machine = await machineOf(loopKind);
  return machine === null ? null : machine.about(fold(machine, await store.records(id))).task;
}

function supervisorWords(supervisor: ReadableLoop['supervisor']): string {
  if (supervisor === null) return 'none: only an agent that it left may still be at work';
  return supervisor.pid === null ? 'on another machine or in another container' : `pid ${supervisor.pid}`;
}

function nextCommands(loop: ReadableLoop, short: string, is: Condition): (readonly [string, string])[] {
  const { ending, loopKind, phase } = loop;
  const logs = [`ralph logs ${short}`, 'what its agent printed'] as const;
  if (loopKind === 'session') return [logs];
  const attach = [`ralph attach ${short}`, "show its agent's pane"] as const;
  if (ending === null && is === 'working') {
    return [
      [`ralph logs ${short} -f`, 'follow it'],
      ...(phase.at === 'await' && phase.handle.runner !== 'direct' ? [attach] : []),
      [`ralph tell ${short} "…"`, 'say something to its agent, in the next prompt'],
      [`ralph stop ${short}`, 'stop after this iteration; --now ends the agent'],
    ];
  }
  const show = [`ralph show ${short}`, 'the whole story'] as const;
  if (isAsking(loop)) {
    return [
      [`ralph answer ${short} "…"`, 'answer it'],
      [`ralph resume ${short}`, 'continue, once it is answered'],
      show,
    ];
  }
  if (!isResumable(loop)) return [show, logs];
  const more = ending?.kind === 'iteration-limit' ? ` -m ${ending.limit * 2}` : '';
  return [[`ralph resume ${short}${more}`, 'continue'], show, logs];
}
