/** The loop host in this process, with `ralph run` as the loop kind: real agents (small scripts), git and journal. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hosting } from '../../test/support/loops/hosting.ts';
import { leaveLoopIn } from '../../test/support/loops/left-loop.ts';
import { shell, start } from '../../test/support/programs/launching.ts';
import { processesOf } from '../../test/support/programs/processes.ts';
import { RalphError } from '../core/error.ts';
import { GRACE_MS } from '../loops/run/loop.ts';
import { runMachine } from '../loops/run/rules.ts';
import type { RunData } from '../loops/run/state.ts';
import { containmentOf } from '../process/containment/containment.ts';
import { readJournal } from '../state/journal.ts';
import { journalPath, loopFolder, loopsFolder, statusPath } from '../state/paths.ts';
import { readQuotas } from '../state/quota-file.ts';
import { runsFolder } from '../state/run-files.ts';
import { sendCommand } from './control.ts';
import type { LoopEvent } from './drive.ts';
import { endUnfinished } from './left-behind/orphans.ts';

const DONE = 'echo "<response>DONE</response>"';
const ENDED = { kind: 'ended', ending: { kind: 'done' } };
const starts = (event: LoopEvent<RunData>): boolean => event.type === 'action' && event.action.do === 'start';
const awaits = (event: LoopEvent<RunData>): boolean => event.type === 'action' && event.action.do === 'await';
const refusal = async (promise: Promise<unknown>): Promise<RalphError> => {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RalphError);
  return error as RalphError;
};

describe('a new loop', () => {
  test('works, is checked and committed, and ends as done; its journal and its status say so', async () => {
    const play = `case $prompt in *"commit message"*) echo "Add a file"; exit ;; esac\necho text >made\n${DONE}`;
    const scene = hosting(play, {
      guardrails: [{ command: 'test -e made', failAction: 'APPEND' }],
      scm: { command: 'git', tasks: ['commit'], stage: 'all' },
    });
    expect(await scene.run()).toEqual(ENDED);
    const kinds = ['created', 'inputs', 'started', 'ran', 'checked', 'started', 'ran', 'published', 'ended'];
    expect(scene.journal()).toEqual(kinds);
    expect(execFileSync('git', ['log', '--format=%s'], { cwd: scene.cwd, encoding: 'utf8' })).toBe('Add a file\n');
    const status: unknown = JSON.parse(
      readFileSync(statusPath(loopFolder(scene.environment.root, scene.id())), 'utf8'),
    );
    expect(status).toMatchObject({ loopKind: 'run', ending: { kind: 'done' } });
    expect(scene.left).toMatchObject([{ state: { iteration: 1 }, work: { kind: 'committed' } }]);
    expect(scene.events.filter(({ type }) => type === 'record')).toHaveLength(kinds.length - 1);
  });

  test('records its base: the commit and the hash of the settings', async () => {
    const scene = hosting(DONE);
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x'], {
      cwd: scene.cwd,
    });
    await scene.run();
    const [first] = readJournal(journalPath(loopFolder(scene.environment.root, scene.id()))).records;
    const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: scene.cwd, encoding: 'utf8' }).trim();
    expect(first?.result).toMatchObject({
      base: {
        commit: head,
        pins: { '.ralph/settings.json': expect.stringMatching(/^[0-9a-f]{64}$/), '.ralph/settings.local.json': null },
      },
    });
  });

  test('tells the next agent the output of a red guardrail', async () => {
    const scene = hosting(`[ $n = 2 ] && : >made\n${DONE}`, {
      guardrails: [{ command: 'test -e made || { echo not there; exit 3; }', failAction: 'APPEND' }],
    });
    expect(await scene.run()).toEqual(ENDED);
    expect(scene.prompts()).toContain('failed with exit code 3');
    expect(scene.prompts()).toContain('not there');
  });

  test('backs off from failures, and ends after five in a row', async () => {
    const scene = hosting('echo "no such luck" >&2; exit 7', { maximumIterations: 9 });
    expect(await scene.run()).toMatchObject({
      ending: { kind: 'kept-failing', failures: 5, reason: expect.stringContaining('exit 7') },
    });
    expect(scene.journal().filter((kind) => kind === 'waited')).toHaveLength(4);
  });

  test('ends at once when its agent cannot be started', async () => {
    const scene = hosting(DONE, { agent: { command: '/not/there/agent', flags: [] } });
    expect(await scene.run()).toMatchObject({
      ending: { kind: 'configuration', reason: expect.stringContaining('agent command not found') },
    });
  });

  test('ends a run that takes longer than it may', async () => {
    const scene = hosting(`[ $n = 1 ] && sleep 600\n${DONE}`, {});
    expect(await scene.run({ agentTimeoutMs: 300 })).toEqual(ENDED);
    const runs = scene.events.flatMap((event) =>
      event.type === 'record' && event.record.result.kind === 'ran' ? [event.record.result.outcome] : [],
    );
    expect(runs).toMatchObject([{ kind: 'failed', exit: { by: 'timeout', afterMs: 300 } }, { kind: 'worked' }]);
  });

  test('is refused while another one runs in the same directory', async () => {
    const scene = hosting(`[ $n = 1 ] && until [ -e go ]; do sleep 0.01; done\n${DONE}`);
    let second: Promise<RalphError> | null = null;
    scene.at(awaits, () => {
      second = refusal(scene.run()).finally(() => writeFileSync(join(scene.cwd, 'go'), ''));
    });
    expect(await scene.run()).toEqual(ENDED);
    const error = await (second as Promise<RalphError> | null);
    expect(error?.message).toContain(`a loop is already running in ${scene.cwd} (pid ${process.pid}`);
  });

  test('first ends what an interrupted loop left running in its directory', async () => {
    const scene = hosting(DONE);
    const orphan = loopFolder(scene.environment.root, 'orphan');
    mkdirSync(runsFolder(orphan), { recursive: true });
    const left = { id: 'orphan', loopKind: 'run', cwd: scene.cwd, createdAt: 1, updatedAt: 1, ending: null };
    leaveLoopIn(orphan, left);
    const agent = await start(containmentOf(null), shell('echo >ready; sleep 600', runsFolder(orphan)));
    await agent.made('ready');
    let atWork: unknown = null;
    scene.at(starts, () => {
      atWork = processesOf(runsFolder(orphan));
    });
    expect(await scene.run()).toEqual(ENDED);
    expect(atWork).toEqual([]);
  });

  test.each([
    ['a mistake in the settings', { maximumIterations: 0 }, {}],
    ['a prompt file that is not there', {}, { prompt: null, promptFile: 'missing.md' }],
  ])('leaves nothing behind after %s', async (_what, settings, request) => {
    const scene = hosting(DONE, settings);
    await refusal(scene.run(request));
    expect(existsSync(loopsFolder(scene.environment.root))).toBe(false);
  });
});

test('what a rehearsed agent reports about its limits is kept apart, because the environment of the call says so', async () => {
  const info = {
    type: 'rate_limit_event',
    rate_limit_info: { rateLimitType: 'five_hour', utilization: 0.5, resetsAt: 2e9 },
  };
  const scene = hosting('', { agent: { command: './claude', flags: [] } }, { RALPH_REHEARSAL: 'ralph rehearse' });
  const told = [info, { type: 'result', is_error: false, result: '<response>DONE</response>' }];
  const script = `#!/bin/sh\ncat <<'E'\n${told.map((line) => JSON.stringify(line)).join('\n')}\nE\n`;
  writeFileSync(join(scene.cwd, 'claude'), script, { mode: 0o755 });
  expect(await scene.run()).toEqual(ENDED);
  expect(readQuotas(scene.environment.root)).toMatchObject([{ agent: 'claude', isRehearsal: true }]);
});

describe('a loop that is left', () => {
  test('by a stop finishes its run, and continues where it was', async () => {
    const scene = hosting(`[ $n = 2 ] && ${DONE} || echo working`);
    scene.at(awaits, () => scene.stop.abort());
    expect(await scene.run()).toEqual({ kind: 'stopped' });
    expect(scene.journal()).toEqual(['created', 'inputs', 'started', 'ran', 'left']);
    expect(await scene.resume()).toEqual(ENDED);
    expect(scene.said).toContainEqual(expect.stringMatching(/^Resuming \S+ \(iteration 2 of 5\): Do it\.$/));
  });

  test('by a cancel ends its agent, and tries the same iteration again', async () => {
    const scene = hosting(`[ $n = 2 ] && { ${DONE}; exit; }; echo begun >began; sleep 600`);
    scene.at(awaits, () => {
      const look = setInterval(() => {
        if (!existsSync(join(scene.cwd, 'began'))) return;
        clearInterval(look);
        scene.cancel.abort();
      }, 5);
    });
    expect(await scene.run()).toEqual({ kind: 'stopped' });
    expect(processesOf(scene.cwd)).toEqual([]);
    expect(scene.journal().slice(-2)).toEqual(['interrupted', 'left']);
    expect(await scene.resume()).toEqual(ENDED);
    expect(scene.left.at(-1)?.state.iteration).toBe(1);
  });

  test('by a cancel while its agent is being started ends that agent, too', async () => {
    // Not by `$n`: the first agent may be ended before it can count itself.
    const scene = hosting(`[ -e again ] && { ${DONE}; exit; }; sleep 600`);
    scene.at(starts, () => scene.cancel.abort());
    expect(await scene.run()).toEqual({ kind: 'stopped' });
    expect(processesOf(scene.cwd)).toEqual([]);
    expect(scene.journal()).toEqual(['created', 'inputs', 'started', 'interrupted', 'left']);
    writeFileSync(join(scene.cwd, 'again'), '');
    expect(await scene.resume()).toEqual(ENDED);
  });

  test('is continued although a stop came after it was left', async () => {
    const scene = hosting(`[ $n = 2 ] && ${DONE} || echo working`);
    scene.at(awaits, () => scene.stop.abort());
    await scene.run();
    sendCommand(loopFolder(scene.environment.root, scene.id()), 'stop');
    expect(await scene.resume()).toEqual(ENDED);
  });

  test('can be continued with other terms, also after its first record alone', async () => {
    const scene = hosting(`[ $n = 2 ] && ${DONE} || echo working`);
    scene.at(awaits, () => scene.stop.abort());
    await scene.run();
    const path = journalPath(loopFolder(scene.environment.root, scene.id()));
    writeFileSync(path, `${readFileSync(path, 'utf8').split('\n')[0]}\n`);
    expect(await scene.resume({}, null, { budget: { tokens: 1000 } })).toEqual(ENDED);
    expect(scene.left.at(-1)?.state.terms).toEqual({ budget: { tokens: 1000 } });
  });

  test('at its limit is continued with a higher one, and refused without one or with one already reached', async () => {
    const scene = hosting(`[ $n = 3 ] && ${DONE} || echo working`);
    expect(await scene.run({ maximumIterations: 2 })).toMatchObject({ ending: { kind: 'iteration-limit', limit: 2 } });
    const records = scene.journal();
    expect((await refusal(scene.resume({ maximumIterations: 2 }))).message).toContain('-m must be higher');
    const name = scene.id().slice(-8, -4);
    expect(await refusal(scene.resume())).toMatchObject({
      message: `loop ${name} has reached its limit of 2 iterations`,
      advice: { hint: `To continue, run: ralph resume ${name} -m 4` },
    });
    expect(scene.journal()).toEqual(records);
    expect(await scene.resume({ maximumIterations: 4 }, scene.id())).toEqual(ENDED);
    expect(scene.journal()).toContain('continued');
  });

  test('with a key in its prompt gets the prompt whole again, although the key is not in the journal', async () => {
    const key = 'sk-abcdefghijklmnop1234';
    const scene = hosting(`[ $n = 2 ] && ${DONE} || echo working`, {}, { API_KEY: key });
    scene.at(awaits, () => scene.stop.abort());
    await scene.run({ prompt: `Use ${key}.` });
    expect(readFileSync(journalPath(loopFolder(scene.environment.root, scene.id())), 'utf8')).not.toContain(key);
    expect(await scene.resume()).toEqual(ENDED);
    expect(scene.prompts()).toBe(`Use ${key}.`.repeat(2));
  });

  test('can be ended for good, with what it left running', async () => {
    const scene = hosting('echo working');
    scene.at(awaits, () => scene.stop.abort());
    await scene.run();
    const loop = { id: scene.id(), cwd: scene.cwd };
    await endUnfinished(runMachine, loop, scene.environment, 'given up', GRACE_MS);
    expect(scene.journal().at(-1)).toBe('ended');
    expect((await refusal(scene.resume())).message).toContain('no unfinished loop');
  });

  test.each([
    ['that was emptied', '', /^no loop \S+ on this machine$/],
    ['that another program wrote', '{"name":"left-pad"}\n', /is damaged at line 1|^no loop/],
  ])('with a journal %s is refused', async (_what, text, words) => {
    const scene = hosting('echo working');
    scene.at(awaits, () => scene.stop.abort());
    await scene.run();
    const id = scene.id();
    writeFileSync(journalPath(loopFolder(scene.environment.root, id)), text);
    expect((await refusal(scene.resume({}, id))).message).toMatch(words);
  });

  test('with records that do not follow from one another is refused, and its lock is released', async () => {
    const scene = hosting(`[ $n = 2 ] && ${DONE} || echo working`);
    scene.at(awaits, () => scene.stop.abort());
    await scene.run();
    const path = journalPath(loopFolder(scene.environment.root, scene.id()));
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace('"kind":"started"', '"kind":"waited"'));
    expect((await refusal(scene.resume())).message).toContain('the records of the loop do not fit together');
    writeFileSync(path, text);
    expect(await scene.resume()).toEqual(ENDED);
  });
});

describe('an agent that reaches the records of its loop', () => {
  test.each([
    ['adds to the journal', (folder: string) => appendFileSync(join(folder, 'journal.jsonl'), '{}\n'), 'was changed'],
    ['removes the journal', (folder: string) => rmSync(join(folder, 'journal.jsonl')), 'was removed'],
    ['puts a file in the place of its folder', replaceFolder, 'was removed'],
  ])('%s: the loop ends as tampered with, and its records are restored', async (_what, harm, words) => {
    const scene = hosting(DONE);
    scene.at(awaits, () => harm(loopFolder(scene.environment.root, scene.id())));
    const driven = await scene.run();
    expect(driven).toMatchObject({ ending: { kind: 'tampered', reason: expect.stringContaining(words) } });
    expect(scene.journal()[0]).toBe('created');
    expect(scene.journal().at(-1)).toBe('ended');
  });

  function replaceFolder(folder: string): void {
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
  }
});
