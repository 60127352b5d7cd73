/** `ralph status`: the current state of one loop, and the commands that come next. */

import { describeUsage } from '../../core/budget/usage.ts';
import { humanDuration, nextLines } from '../../core/closing/closing-summary.ts';
import { isPaused, questionOf } from '../../core/state.ts';
import { taskLine } from '../../core/text/task-line.ts';
import { wrap } from '../../core/text/wrap.ts';
import type { ReadableLoop } from '../../engine/store/loop-store.ts';
import { cutToColumns } from '../../stream/columns.ts';
import { printable } from '../../stream/printable.ts';
import { activityOf } from '../../views/activity.ts';
import { type Condition, conditionOf } from '../../views/loop-condition.ts';
import { wholeTaskOf } from '../../views/loop-task.ts';
import { loopData, placeName, workedFor } from '../../views/loop-words.ts';
import { isAnswered, isAsking, isResumable, resumeFlags, withoutTaken } from '../../views/resumable.ts';
import { clockTime } from '../terminal/words.ts';
import { foundLoop, type LoopsContext } from './context.ts';

export async function statusCommand(name: string | null, { json = false }, context: LoopsContext): Promise<number> {
  const { store, say, now, cwd, width } = context;
  const { loop: found, short, all } = await foundLoop(context, { name });
  const loop = withoutTaken(found, all);
  const activity = await activityOf(store, loop);
  const condition = conditionOf(loop, json ? (at) => new Date(at).toISOString() : clockTime);
  if (json) {
    const task = await wholeTaskOf(store, loop);
    say(
      JSON.stringify(
        { ...loopData(loop), name: short, task, state: condition, workedMs: workedFor(loop, now), activity },
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
    ['agent', loop.fallback === null ? about.agent : `${about.agent}; ${loop.fallback} was started last`],
    ['iteration', `${loop.iterations}${limit}${quiet}`],
    ['doing', activity?.text ?? null],
    ['started', `${clockTime(loop.createdAt)}, worked ${humanDuration(workedFor(loop, now))}`],
    ['used', usage.runs === 0 ? null : describeUsage(usage)],
    ['failure', ending === null || ending.kind === 'iteration-limit' ? loop.lastFailure : null],
    ['commit', loop.lastCommit],
    ['reason', ending !== null && 'reason' in ending ? (ending.reason ?? null) : null],
    ['asks', questionOf(loop)],
    ['supervisor', ending !== null || loop.loopKind === 'session' ? null : supervisorWords(supervisor)],
    ...loop.messages.map(({ as, text }, index) => [index === 0 ? 'next prompt' : '', `${as}: ${text}`] as const),
  ];
  const title = [short, loop.loopKind, placeName(about.cwd ?? loop.cwd, cwd), condition.words].join(' · ');
  say(cutToColumns(printable(title), context.columns ?? Number.POSITIVE_INFINITY));
  const task = loop.task === undefined ? taskLine(await wholeTaskOf(store, loop)) : loop.task;
  // At most two lines.
  if (task !== null)
    for (const line of wrap(printable(task), '', '', width).slice(0, 2)) say(cutToColumns(line, width));
  say('');
  for (const [label, text] of rows) {
    const [first = ''] = text?.split('\n', 1) ?? [];
    for (const line of text === null ? [] : wrap(first, `  ${label.padEnd(11)} `, ' '.repeat(14), width)) say(line);
  }
  say('');
  const next = nextCommands(loop, short, condition.is).map(([command, why]) => ({ command, why }));
  for (const line of nextLines({ next }, width)) say(line);
  return 0;
}

function supervisorWords(supervisor: ReadableLoop['supervisor']): string {
  if (supervisor === null) return 'none: only an agent that it left behind may still be running';
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
      [`ralph tell ${short} "…"`, 'send its agent a message, in the next prompt'],
      [`ralph stop ${short}`, 'stop after this iteration; --now ends the agent'],
    ];
  }
  const show = [`ralph show ${short}`, 'the whole story'] as const;
  if (isAsking(loop)) {
    const resume = `ralph resume ${short}`;
    if (isAnswered(loop)) return [[resume, 'continue with the answer'], show];
    const answer = [`ralph answer ${short} "…"`, 'answer it'] as const;
    // Its supervisor waits for the answer, so there is nothing to resume.
    if (ending === null && loop.supervisor !== null) return [answer, [`ralph stop ${short}`, 'stop it'], show];
    return [answer, [resume, 'continue, once it is answered'], show];
  }
  if (!isResumable(loop)) return [show, logs];
  if (ending === null && loop.supervisor !== null && is === 'waiting' && !isPaused(loop)) {
    return [[`ralph logs ${short} -f`, 'follow it'], [`ralph stop ${short}`, 'stop it'], show];
  }
  return [[`ralph resume ${short}${resumeFlags(loop)}`, 'continue'], show, logs];
}
