/** Posts to the project's bus, once, that a task is done; the key stands for the state that the task was in. */
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse, stringify } from 'yaml';
import { appendMessage } from '../../bus/append.ts';
import type { Message } from '../../bus/message.ts';
import { readMessages } from '../../bus/read.ts';
import { readPlainText } from '../../state/plain-file.ts';
import { writeProjection } from '../../state/projection.ts';
import { projectBus, taskFile } from './folder/task-folder.ts';
import type { BusPlace } from './post.ts';
import { type RunInfo, surveyRuns } from './runs/run-info.ts';

export const PROPAGATED = 'task completion facts propagated to project bus';

const KIND = 'task_completion_propagation';
const FACTS_SHOWN = 5;

/** `isNew` is false when it had been posted before. */
export async function propagate(place: BusPlace, folder: string) {
  // A run whose report cannot be read tells nothing; the others do.
  const runs = surveyRuns(folder).flatMap(({ info }) => info ?? []);
  const facts = existsSync(place.bus) ? readMessages(place.bus).messages.filter(isTaskFact) : [];
  const key = keyOf(folder, runs, facts.length);
  const bus = projectBus(dirname(folder));
  const last = lastPosted(folder);
  if (last?.key === key) return { key, messageId: last.messageId, isNew: false };
  // The message may be there although its memo is not: the writer died in between.
  const known = findOn(bus, place.task, key);
  const message = known ?? (await appendMessage(bus, messageOf(place, folder, runs, facts, key)));
  remember(folder, key, message);
  return { key, messageId: message.msgId, isNew: known === null };
}

/** That the facts were posted is no new fact: it would be posted again, for ever. */
function isTaskFact({ type, body }: Message): boolean {
  return type === 'FACT' && !body.startsWith(PROPAGATED);
}

function messageOf(
  { project, task, bus }: BusPlace,
  folder: string,
  runs: readonly RunInfo[],
  facts: readonly Message[],
  key: string,
) {
  const count = (status: RunInfo['status']): number => runs.filter((run) => run.status === status).length;
  const last = runs.at(-1);
  const shown = facts.slice(-FACTS_SHOWN).map(({ body }) => `- ${firstLine(body)}`);
  const lines = [
    'task completion propagated to project scope',
    `task_dir: ${folder}`,
    `runs: ${runs.length} (${count('completed')} completed, ${count('failed')} failed)`,
    ...(last === undefined ? [] : [`latest_run: ${last.runId}`, `output: ${last.outputPath}`]),
    ...(shown.length === 0 ? [] : [`facts: ${facts.length}`, ...shown]),
  ];
  return {
    type: 'FACT',
    projectId: project,
    ...(task === '' ? {} : { taskId: task }),
    ...(last === undefined ? {} : { runId: last.runId }),
    meta: { kind: KIND, propagation_key: key, task_bus: bus },
    body: lines.join('\n'),
  };
}

/** The same only for the same DONE file, the same number of facts and the same runs. */
function keyOf(folder: string, runs: readonly RunInfo[], facts: number): string {
  const done = statSync(taskFile.done(folder)).mtimeMs;
  const parts = runs.map(
    ({ runId, status, exitCode, startTime, endTime }) => `${runId},${status},${exitCode},${startTime},${endTime ?? ''}`,
  );
  return createHash('sha256')
    .update([String(done), `facts=${facts}`, ...parts].join('|'))
    .digest('hex');
}

function findOn(bus: string, task: string, key: string): Message | null {
  if (!existsSync(bus)) return null;
  return (
    readMessages(bus).messages.findLast(
      ({ taskId = '', meta }) => taskId === task && meta?.kind === KIND && meta.propagation_key === key,
    ) ?? null
  );
}

function lastPosted(folder: string): { readonly key: string; readonly messageId: string } | null {
  const path = taskFile.propagation(folder);
  if (!existsSync(path)) return null;
  try {
    const memo: unknown = parse(readPlainText(path));
    if (typeof memo !== 'object' || memo === null) return null;
    const { last_propagation_key: key, last_project_message_id: messageId } = memo as Record<string, unknown>;
    return typeof key === 'string' && typeof messageId === 'string' ? { key, messageId } : null;
  } catch {
    // A memo that cannot be read is none: the project's own bus is asked.
    return null;
  }
}

function remember(folder: string, key: string, { msgId, ts }: Message): void {
  const memo = { version: 1, last_propagation_key: key, last_project_message_id: msgId, last_propagated_at: ts };
  writeProjection(taskFile.propagation(folder), stringify(memo));
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]?.slice(0, 200) ?? '';
}
