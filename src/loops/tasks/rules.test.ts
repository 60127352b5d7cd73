import { describe, expect, test } from 'vitest';
import { EPOCH, firstRecord, play } from '../../../test/support/loops/play.ts';
import { failed, INTERRUPTED, ran, STARTED, WAITED, worked } from '../../../test/support/loops/results.ts';
import { TASK_REQUEST } from '../../../test/support/tasks/task-request.ts';
import { loopMachine } from '../../core/machine/machine.ts';
import type { Result } from '../../core/record.ts';
import type { LoopState } from '../../core/state.ts';
import type { Json } from '../../core/text/json.ts';
import { CONTINUE } from './prompt.ts';
import type { TaskRequest } from './request.ts';
import { taskRules } from './rules.ts';
import type { Seen, TaskData, TaskInputs } from './state.ts';

const own = loopMachine(taskRules);

function begin(request: Partial<TaskRequest> = {}): LoopState<TaskData> {
  return own.begin(firstRecord('task', { ...TASK_REQUEST, ...request }));
}

function inputs(given: Partial<TaskInputs> = {}): Result {
  const read: TaskInputs = { prompt: 'Do it.', isDone: false, maxRestarts: 100, ...given };
  return { kind: 'inputs', digest: 'd', inputs: read as unknown as Json };
}

function stepped(what: string, gave: Json = {}): Result {
  return { kind: 'stepped', what, gave };
}

function looked(seen: Partial<Seen> = {}): Result {
  return stepped('look', { isDone: false, wait: null, stopRequested: false, ...seen });
}

function played(...results: Result[]): LoopState<TaskData> {
  return play(own, begin(), ...results);
}

const RUN = [inputs(), STARTED];

describe('the run that was started last', () => {
  const kept = { runId: 'run-1', busOffset: 7 };
  const started = (handle: object): Result => ({ kind: 'started', handle: { runner: 'direct', name: 'n', ...handle } });

  test('is known to the look at the folder and to the next reading of the inputs', () => {
    const ended = played(inputs(), started({ kept }), failed());
    expect(own.next(ended)).toMatchObject({ what: 'look', given: kept });
    expect(own.next(play(own, ended, looked(), WAITED))).toMatchObject({ do: 'read-inputs', given: kept });
    const interrupted = played(inputs(), started({ kept }), INTERRUPTED, WAITED);
    expect(own.next(interrupted)).toMatchObject({ do: 'read-inputs', given: kept });
  });

  test.each([[{}], [{ kept: 'x' }], [{ kept: { runId: 'run-1' } }]])('with %j is not known by its record', (handle) => {
    expect(own.next(begin())).toMatchObject({ given: null });
    const second = [failed(), looked(), WAITED, inputs(), started(handle), failed()];
    expect(own.next(played(inputs(), started({ kept }), ...second))).toMatchObject({ what: 'look', given: null });
  });
});

describe('before a run', () => {
  test('the inputs are read first', () => {
    expect(own.next(begin())).toMatchObject({ do: 'read-inputs', key: '1/inputs/1' });
  });

  test('DONE leads to the children, and no agent is started', () => {
    const state = played(inputs({ isDone: true }));
    const given = { timeoutMs: 300_000, pollMs: 1000 };
    expect(own.next(state)).toMatchObject({ do: 'step', what: 'children', given, outward: false });
  });

  test('the limit is checked after DONE', () => {
    expect(own.next(played(inputs({ maxRestarts: 0 })))).toMatchObject({
      what: 'exhausted',
      given: { limit: 0 },
      outward: true,
    });
    expect(own.next(played(inputs({ maxRestarts: 0, isDone: true })))).toMatchObject({ what: 'children' });
  });

  test('the loop waits for other tasks, once', () => {
    const blocked = play(own, begin({ dependsOn: ['other'] }), inputs());
    expect(own.next(blocked)).toMatchObject({ what: 'dependencies', given: { dependsOn: ['other'], pollMs: 2000 } });
    const started = play(own, blocked, stepped('dependencies', { isDone: false }));
    expect(own.next(started)).toMatchObject({ do: 'start', key: '1/work/1/start' });
    const second = play(own, started, STARTED, failed(), looked(), WAITED, inputs());
    expect(own.next(second)).toMatchObject({ do: 'start', key: '2/work/1/start' });
  });

  test('a DONE that appears during that wait ends it without a run', () => {
    const state = play(own, begin({ dependsOn: ['other'] }), inputs(), stepped('dependencies', { isDone: true }));
    expect(own.next(state)).toMatchObject({ what: 'children' });
  });

  test('a task that is done waits for no others', () => {
    const state = play(own, begin({ dependsOn: ['other'] }), inputs({ isDone: true }));
    expect(own.next(state)).toMatchObject({ what: 'children' });
  });
});

describe('a run', () => {
  test('is started with the agent, its flags and what TASK.md says', () => {
    const agent = { command: 'agent', flags: ['--deep'], mode: 'stream' };
    expect(own.next(played(inputs()))).toMatchObject({ do: 'start', agent, prompt: 'Do it.' });
  });

  test('of a restart, and the first of a resumed task, says that the work continues', () => {
    const again = { prompt: `${CONTINUE}Do it.` };
    expect(own.next(played(...RUN, worked(), looked(), WAITED, inputs()))).toMatchObject(again);
    expect(own.next(play(own, begin({ isResumed: true }), inputs()))).toMatchObject(again);
  });

  test('has no time limits unless they are given', () => {
    expect(own.next(played(...RUN))).toMatchObject({ do: 'await', limits: { timeMs: null, idleMs: null } });
    expect(own.next(played(...RUN))).not.toHaveProperty('idleMs');
    const limited = play(own, begin({ idleTimeoutMs: 5, totalTimeoutMs: 9 }), ...RUN);
    expect(own.next(limited)).toMatchObject({ limits: { timeMs: 9, idleMs: 5 } });
  });

  test('that was interrupted begins again under a new key, and does not count', () => {
    const state = played(...RUN, INTERRUPTED, WAITED, inputs());
    expect(own.next(state)).toMatchObject({ do: 'start', key: '1/work/2/start', prompt: 'Do it.' });
  });
});

describe('after a run', () => {
  const outcomes: [string, Result][] = [
    ['success', worked()],
    ['a failure', failed(1)],
    ['a death by a signal', ran({ kind: 'failed', exit: { by: 'signal', signal: 'SIGKILL' } })],
    ['a timeout', ran({ kind: 'failed', exit: { by: 'timeout', afterMs: 5 } })],
    ['trouble with the service', ran({ kind: 'infrastructure', reason: 'overloaded' })],
    ['a usage limit', ran({ kind: 'limit', reason: 'used up', resetAt: null })],
    ['a hang', ran({ kind: 'hang', reason: 'silent' })],
  ];
  test.each(outcomes)('%s is followed by a look, the delay, and another run', (_name, result) => {
    const looking = played(...RUN, result);
    expect(own.next(looking)).toMatchObject({ do: 'step', what: 'look' });
    const resting = play(own, looking, looked());
    expect(own.next(resting)).toMatchObject({ do: 'wait', until: resting.at + 1000 });
    expect(own.next(play(own, resting, WAITED, inputs()))).toMatchObject({ do: 'start', key: '2/work/1/start' });
  });

  test.each(['auth', 'blocked'] as const)('%s is fatal: nothing is tried again', (kind) => {
    const state = played(...RUN, ran({ kind, reason: 'no' }));
    expect(own.next(state)).toMatchObject({ do: 'end', ending: { kind, reason: 'no' } });
  });

  test('however often it fails, only the limit ends it', () => {
    let state = begin();
    for (let n = 1; n <= 100; n++) state = play(own, state, inputs(), STARTED, failed(), looked(), WAITED);
    expect(own.next(play(own, state, inputs()))).toMatchObject({ what: 'exhausted', given: { limit: 100 } });
  });

  test('DONE leads to the children, the project is told, and the task is done', () => {
    const children = played(...RUN, failed(), looked({ isDone: true }));
    expect(own.next(children)).toMatchObject({ what: 'children' });
    const telling = play(own, children, stepped('children', { left: [] }));
    expect(own.next(telling)).toMatchObject({ what: 'propagation', outward: true });
    expect(own.next(play(own, telling, stepped('propagation')))).toMatchObject({ do: 'end', ending: { kind: 'done' } });
  });

  test('children that are left when the time is up do not prevent that', () => {
    const state = played(inputs({ isDone: true }), stepped('children', { left: ['a'] }), stepped('propagation'));
    expect(own.next(state)).toMatchObject({ ending: { kind: 'done' } });
  });

  test('the last one is followed by the delay, too: a DONE that appears then counts, otherwise the limit is reported', () => {
    const resting = played(inputs({ maxRestarts: 1 }), STARTED, failed(), looked());
    expect(own.next(resting)).toMatchObject({ do: 'wait' });
    expect(own.next(play(own, resting, WAITED, inputs({ maxRestarts: 1, isDone: true })))).toMatchObject({
      what: 'children',
    });
    const over = play(own, resting, WAITED, inputs({ maxRestarts: 1 }));
    expect(own.next(over)).toMatchObject({ what: 'exhausted' });
    expect(own.next(play(own, over, stepped('exhausted')))).toMatchObject({
      ending: { kind: 'iteration-limit', limit: 1 },
    });
  });

  test('a limit that was raised meanwhile lets it continue', () => {
    const state = played(inputs({ maxRestarts: 1 }), STARTED, failed(), looked(), WAITED, inputs({ maxRestarts: 2 }));
    expect(own.next(state)).toMatchObject({ do: 'start', key: '2/work/1/start' });
  });
});

describe('waiting without a restart', () => {
  test('what was said since the last run ended counts before the next one; DONE counts more', () => {
    const rested = [...RUN, failed(), looked(), WAITED];
    expect(own.next(played(...rested, inputs({ wait: 'for a key' })))).toMatchObject({
      ending: { kind: 'waiting', reason: 'for a key' },
    });
    expect(own.next(played(...rested, inputs({ stopRequested: true })))).toMatchObject({ ending: { kind: 'stopped' } });
    expect(own.next(played(...rested, inputs({ wait: 'for a key', isDone: true })))).toMatchObject({
      what: 'children',
    });
  });

  test('exit 42, a message or a file stop the loop with their reason', () => {
    expect(own.next(played(...RUN, failed(42), looked()))).toMatchObject({
      ending: { kind: 'waiting', reason: 'the agent exited with code 42' },
    });
    expect(own.next(played(...RUN, worked(), looked({ wait: 'for an answer' })))).toMatchObject({
      ending: { kind: 'waiting', reason: 'for an answer' },
    });
  });

  describe('with onBlocked: wait', () => {
    const asked = play(own, begin({ onBlocked: 'wait' }), ...RUN, failed(42), looked({ question: 'Which one?' }));
    const waiting = play(own, asked, stepped('question'));
    const told = [{ as: 'answer', text: 'The first.' }] as const;
    const answered = play(own, waiting, { kind: 'waited', told }, inputs({ wait: 'still there' }));

    test('the question goes to the bus, and the loop waits', () => {
      expect(own.next(asked)).toMatchObject({ what: 'question', given: { question: 'Which one?' }, outward: true });
      expect(own.next(waiting)).toMatchObject({ do: 'wait', until: 'command', isAsking: true });
    });

    test('the answer goes to the bus, and into the prompt of the same attempt', () => {
      expect(own.next(answered)).toMatchObject({ what: 'answer', given: { answers: ['The first.'] } });
      const start = own.next(play(own, answered, stepped('answer')));
      expect(start).toMatchObject({ do: 'start', run: { iteration: 1, try: 2 } });
      const prompt = start.do === 'start' ? start.prompt : '';
      expect(prompt).toMatch(/^Continue working on the following:\n\nDo it\./);
      expect(prompt.match(/The first\./g)).toHaveLength(1);
    });

    test('DONE and a stop that came meanwhile count', () => {
      const heard: Result = { kind: 'waited', told };
      expect(own.next(play(own, waiting, heard, inputs({ isDone: true })))).toMatchObject({ what: 'children' });
      const stopped = play(own, waiting, heard, inputs({ stopRequested: true }), stepped('answer'));
      expect(own.next(stopped)).toMatchObject({ ending: { kind: 'stopped' } });
    });

    test('a task that may not be started any more ends', () => {
      const last = [...RUN, failed(), looked(), WAITED, inputs({ maxRestarts: 1, wait: 'for a key' })];
      const exhausted = play(own, begin({ onBlocked: 'wait' }), ...last);
      expect(own.next(exhausted)).toMatchObject({ ending: { kind: 'waiting', reason: 'for a key' } });
    });
  });

  test('DONE wins over all of them', () => {
    for (const result of [failed(42), worked()]) {
      expect(own.next(played(...RUN, result, looked({ isDone: true, wait: 'x', stopRequested: true })))).toMatchObject({
        what: 'children',
      });
    }
  });

  test('only the last run’s exit counts', () => {
    const endOf = (result: Result) => own.next(play(own, begin(), ...RUN, result, looked()));
    expect(endOf(failed(42))).toMatchObject({ ending: { kind: 'waiting' } });
    expect(endOf(failed(1))).toMatchObject({ do: 'wait' });
    expect(endOf(ran({ kind: 'failed', exit: { by: 'timeout', afterMs: 42 } }))).toMatchObject({ do: 'wait' });
  });

  test('a request to stop counts after the run', () => {
    expect(own.next(played(...RUN, failed(), looked({ stopRequested: true })))).toMatchObject({
      ending: { kind: 'stopped', reason: 'a stop was requested' },
    });
  });
});

describe('a job', () => {
  const job = (...results: Result[]) => own.next(play(own, begin({ kind: 'job', maxRestarts: 1 }), ...results));

  test('is one run, and ends as that did', () => {
    expect(job(...RUN, worked(), looked())).toMatchObject({ ending: { kind: 'done' } });
    expect(job(...RUN, failed(), looked())).toMatchObject({ ending: { kind: 'kept-failing', failures: 1 } });
    expect(job(...RUN, failed(42), looked())).toMatchObject({ ending: { kind: 'waiting' } });
    expect(job(...RUN, worked(), looked({ wait: 'for you' }))).toMatchObject({
      ending: { kind: 'waiting', reason: 'for you' },
    });
  });

  test('of a task that is done runs nevertheless', () => {
    expect(job(inputs({ isDone: true }))).toMatchObject({ do: 'start' });
  });
});

test('the delay counts from the look', () => {
  expect(own.next(played(...RUN, worked(), looked()))).toMatchObject({ until: EPOCH + 4 * 1000 + 1000 });
});
