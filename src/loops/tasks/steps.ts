/** The steps of a task on this machine: looks at its folder, waits for other tasks, and posts when it ends. */
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { appendMessage } from '../../bus/append.ts';
import type { Message } from '../../bus/message.ts';
import { readMessages } from '../../bus/read.ts';
import { defined } from '../../core/defined.ts';
import type { TreeRecord } from '../../core/record.ts';
import type { Verdict } from '../../core/review/review.ts';
import { faultMessage } from '../../core/system-fault.ts';
import { formatGoDuration } from '../../core/text/duration.ts';
import { isFields } from '../../core/text/json.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import type { Mask } from '../../core/text/mask.ts';
import type { StepPerformers } from '../../engine/performers/perform.ts';
import { readPlainText } from '../../process/files.ts';
import { removeEntry } from '../../state/held-folder.ts';
import { writeProjection } from '../../state/projection.ts';
import { blockedBy } from './folder/dependencies.ts';
import { holdDone, isDone, lookAtTask, putBackDone } from './folder/signals.ts';
import { projectBus, taskFile } from './folder/task-folder.ts';
import type { BusPlace, MessageType, Say } from './post.ts';
import type { TaskRequest } from './request.ts';
import { lookAtChildren, waitForChildren } from './runs/liveness.ts';
import { type RunInfo, surveyRuns } from './runs/run-info.ts';
import type { TaskSteps } from './state.ts';

interface StepContext {
  readonly request: TaskRequest;
  /** Absent if agents cannot ask for jobs. */
  readonly jobs?: {
    /** Starts jobs that agents have requested and that have not been started yet. */
    readonly startAsked: () => Promise<void>;
    readonly endDead: () => Promise<void>;
  };
  readonly say: Say;
  readonly tell: (line: string) => void;
  /** Hides keys in a text. */
  readonly mask: Mask;
  readonly diff: StepPerformers<TaskSteps>['diff'];
  /** Takes a snapshot of the work tree; null if it is not in a repository. */
  readonly keepTree: (signal: AbortSignal) => Promise<TreeRecord | null>;
}

export const PROPAGATED = 'task completion facts propagated to project bus';

const PROPAGATION = 'task_completion_propagation';
const FACTS_SHOWN = 5;

export function taskSteps({ request, jobs, say, tell, mask, diff, keepTree }: StepContext): StepPerformers<TaskSteps> {
  const { folder, project } = request;
  const announce = async (type: MessageType, body: string): Promise<void> => {
    tell(body);
    await say(type, body);
  };
  return {
    look: async (lastRun) => lookAtTask(request, lastRun),
    diff,

    async hold() {
      holdDone(folder);
      return null;
    },

    async verdict(verdict) {
      if (verdict.is === 'approved') putBackDone(folder);
      await say(verdict.is === 'approved' ? 'FACT' : 'WARNING', mask(verdictMessage(verdict)));
      return null;
    },

    async question({ question }) {
      await say('INFO', `task waits for an answer: ${mask(question)}`);
      return null;
    },

    async answer({ answers }) {
      for (const answer of answers) await say('USER', answer);
      removeEntry(taskFile.waitWithoutRestart(folder));
      return null;
    },

    async dependencies({ dependsOn, pollMs }, { signal }) {
      let announced = '';
      for (;;) {
        // A person may create DONE while it waits.
        if (isDone(folder)) return { isDone: true };
        const names = blockedBy(dirname(dirname(folder)), project, dependsOn).join(', ');
        if (names === '') break;
        if (names !== announced) await announce('PROGRESS', `task blocked by dependencies: ${names}`);
        announced = names;
        await sleep(pollMs, undefined, { signal });
      }
      if (announced !== '') await announce('FACT', 'dependencies satisfied; starting task');
      return { isDone: false };
    },

    /** The task is done in any case: a child that takes too long is only reported. */
    async children({ timeoutMs, pollMs, keepsTree }, { signal }) {
      await jobs?.startAsked();
      for (const problem of lookAtChildren(folder).problems) {
        await announce('WARNING', `failed to enumerate children: ${problem}`);
      }
      let hasWaited = false;
      const onWait = async (active: readonly string[]): Promise<void> => {
        hasWaited = true;
        await announce('INFO', `waiting for ${active.length} children to complete: [${active.join(' ')}]`);
      };
      const endOrphaned = async (): Promise<void> => jobs?.endDead();
      const left = await waitForChildren(folder, { timeoutMs, pollMs, signal, onWait, endOrphaned });
      const late = `timeout waiting for children after ${formatGoDuration(timeoutMs)}: [${left.join(' ')}]`;
      const how = hasWaited ? 'all children finished' : 'DONE marker present, no active children';
      const what = request.review === undefined ? 'task completed' : 'task claims to be done';
      await (left.length > 0 ? announce('WARNING', late) : announce('INFO', `${what} (${how})`));
      const tree = keepsTree === true ? await keepTree(signal) : null;
      return { left: [...left], ...defined({ tree: tree ?? undefined }) };
    },

    /** Best effort: a task is done even if posting on the project's bus fails. */
    async propagation() {
      try {
        const { key, messageId, isNew } = await propagate(request, folder);
        if (isNew) await say('FACT', `${PROPAGATED} (msg_id=${messageId} key=${key})`);
        else await say('INFO', `task completion facts already propagated (key=${key})`);
        return { key };
      } catch (error) {
        const reason = faultMessage(error);
        tell(`the project could not be told that the task is done: ${reason}`);
        await say('ERROR', `task completion fact propagation failed: ${reason}`);
        return { error: reason };
      }
    },

    async exhausted({ limit }) {
      await say('ERROR', `task failed: max restarts (${limit}) exceeded`);
      return null;
    },
  };
}

function verdictMessage({ is, by, round, words, isRepeated }: Verdict): string {
  const which = `review ${round} by ${by}`;
  if (is === 'approved') return `${which}: approved`;
  if (is === 'none') return `${which}: no verdict: ${words}`;
  return linesOf(`${which}: rejected${isRepeated === true ? ' again, nothing has changed' : ''}`, words || null).join(
    '\n',
  );
}

/** Posts to the project's bus that a task is done, once for each state of the task, which the key identifies. */
export async function propagate({ project, task, bus: taskBus }: BusPlace, folder: string) {
  // Skip runs whose report cannot be read.
  const runs = surveyRuns(folder).flatMap(({ info }) => info ?? []);
  const said = existsSync(taskBus) ? readMessages(taskBus).messages : [];
  // The message about posting the facts is no new fact: otherwise it would be posted again and again.
  const facts = said.filter(({ type, body }) => type === 'FACT' && !body.startsWith(PROPAGATED));
  const key = keyOf(folder, runs, facts.length);
  const bus = projectBus(dirname(folder));
  const last = lastPosted(folder);
  if (last?.key === key) return { key, messageId: last.messageId, isNew: false };
  const isIt = ({ taskId = '', meta }: Message): boolean =>
    taskId === task && meta?.kind === PROPAGATION && meta.propagation_key === key;
  // The message may exist without the memo, if the writer died in between.
  const known = existsSync(bus) ? readMessages(bus).messages.findLast(isIt) : undefined;
  const ids = { projectId: project, ...defined({ taskId: task || undefined, runId: runs.at(-1)?.runId }) };
  const meta = { kind: PROPAGATION, propagation_key: key, task_bus: taskBus };
  const draft = { type: 'FACT', ...ids, meta, body: summaryOf(folder, runs, facts) };
  const { msgId, ts } = known ?? (await appendMessage(bus, draft));
  const memo = { version: 1, last_propagation_key: key, last_project_message_id: msgId, last_propagated_at: ts };
  writeProjection(taskFile.propagation(folder), stringify(memo));
  return { key, messageId: msgId, isNew: known === undefined };
}

function summaryOf(folder: string, runs: readonly RunInfo[], facts: readonly Message[]): string {
  const count = (status: RunInfo['status']): number => runs.filter((run) => run.status === status).length;
  const last = runs.at(-1);
  const shown = facts.slice(-FACTS_SHOWN).map(({ body }) => `- ${body.trim().split('\n')[0]?.slice(0, 200)}`);
  return [
    'task completion propagated to project scope',
    `task_dir: ${folder}`,
    `runs: ${runs.length} (${count('completed')} completed, ${count('failed')} failed)`,
    ...(last === undefined ? [] : [`latest_run: ${last.runId}`, `output: ${last.outputPath}`]),
    ...(shown.length === 0 ? [] : [`facts: ${facts.length}`, ...shown]),
  ].join('\n');
}

/** Equal only for the same DONE file, the same number of facts and the same runs. */
function keyOf(folder: string, runs: readonly RunInfo[], facts: number): string {
  const done = statSync(taskFile.done(folder)).mtimeMs;
  const parts = runs.map(({ runId, status, exitCode, startTime, endTime }) =>
    [runId, status, exitCode, startTime, endTime ?? ''].join(','),
  );
  const text = [String(done), `facts=${facts}`, ...parts].join('|');
  return createHash('sha256').update(text).digest('hex');
}

function lastPosted(folder: string): { readonly key: string; readonly messageId: string } | null {
  try {
    const memo: unknown = parse(readPlainText(taskFile.propagation(folder)));
    const { last_propagation_key: key, last_project_message_id: messageId } = isFields(memo) ? memo : {};
    return typeof key === 'string' && typeof messageId === 'string' ? { key, messageId } : null;
  } catch {
    // There is none, or it cannot be read: look at the project's bus instead.
    return null;
  }
}
