/** What was once wrong and must stay right: claims, agents, settings, the machine. */

import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claude } from '../../src/agents/claude/profile.ts';
import { claudeParser } from '../../src/agents/claude/stream.ts';
import { profileFor } from '../../src/agents/index.ts';
import { plainParser } from '../../src/agents/plain/profile.ts';
import { readRunOutput } from '../../src/agents/run-output-reader.ts';
import { shellWords } from '../../src/config/settings.ts';
import { listenForTag } from '../../src/core/claims/tag.ts';
import { loopMachine } from '../../src/core/machine/machine.ts';
import { RECORD_VERSION } from '../../src/core/record.ts';
import { parseDuration } from '../../src/core/text/duration.ts';
import { durabilityOf } from '../../src/engine/drive/durability.ts';
import { guardrailLog } from '../../src/loops/run/guardrails.ts';
import { runRules } from '../../src/loops/run/rules.ts';
import { findCgroupHome } from '../../src/process/containment/cgroup.ts';
import { identify } from '../../src/process/identity/identity.ts';
import { livingOf } from '../../src/process/identity/process-table.ts';
import { tryLock } from '../../src/state/lock.ts';
import { stateRoot } from '../../src/state/paths.ts';
import { listLoops } from '../../src/state/registry.ts';
import { eventFormatter } from '../../src/stream/formatter.ts';
import { testFolder } from '../support/folder.ts';
import { EPOCH, firstRecord, play } from '../support/loops/play.ts';
import { inputs, REQUEST, STARTED } from '../support/loops/results.ts';

const DONE = '<response>DONE</response>';
function heard(prompt: string, output: string) {
  const h = readRunOutput(plainParser(), { tag: 'response', multiline: false }, prompt, {
    watches: true,
    show: String,
  });
  h.push(Buffer.from(output));
  return h.end().said.tag;
}
test('an echoed prompt file that ends with a line feed is not heard', () => {
  const prompt = `Do the work.\nThen say ${DONE}.\n`;
  expect(heard(prompt, prompt)).toBeNull();
});
test('what stands before an echo on its first line is heard', () => {
  expect(heard('\nDo the work.', `${DONE}\nDo the work.\n`)).toBe('DONE');
});
test('an echo with carriage returns (a tmux pane) is not heard', () => {
  const prompt = `Do the work.\nThen say ${DONE}.`;
  expect(heard(prompt, `${prompt}\n`.replaceAll('\n', '\r\n'))).toBeNull();
});
test('a sync that failed in the background is reported when it is waited for', async () => {
  let calls = 0;
  const d = durabilityOf({ sync: () => (calls++ === 0 ? Promise.reject(new Error('EIO')) : Promise.resolve()) });
  d.begin();
  await new Promise((r) => setImmediate(r));
  await expect(d.synced()).rejects.toThrow('EIO');
});
test('a holder file emptied by a power cut does not lock out for ever with a stack trace', () => {
  const folder = join(testFolder(), 'lock');
  mkdirSync(folder);
  writeFileSync(join(folder, 'holder-00000000000000000001-1.json'), '');
  expect(() => tryLock(folder, 'x')).not.toThrow(SyntaxError);
});
test('one status.json emptied by a power cut does not hide all loops', () => {
  const root = { path: testFolder() };
  mkdirSync(join(root.path, 'loops/a'), { recursive: true });
  writeFileSync(join(root.path, 'loops/a/status.json'), '');
  expect(() => listLoops(root)).not.toThrow();
});
test('a leader of another boot has no processes here', () => {
  const child = spawn('sleep', ['60'], { detached: true });
  const id = identify(child.pid ?? 0);
  try {
    expect(livingOf('none', id && { ...id, boot: 'another' })).toEqual([]);
  } finally {
    child.kill('SIGKILL');
  }
});
test('guardrail logs have different names', () => {
  const commands = ['make test', 'make-test', 'make test 1'];
  const logs = commands.map((_, i) => guardrailLog(1, commands, i));
  expect(new Set(logs).size).toBe(3);
});
test('-p is not repeated', () => {
  const { argv } = claude.commandLine({
    command: 'claude',
    flags: ['-p'],
    mode: 'stream',
    prompt: 'x',
    help: null,
    answerFile: 'a',
  });
  expect(argv.filter((a) => a === '-p')).toHaveLength(1);
});
test('a task list with holes in it is shown without them', () => {
  const line = {
    type: 'assistant',
    message: { content: [{ type: 'tool_use', name: 'TodoWrite', input: { todos: [null] } }] },
  };
  expect(() => claudeParser().parse(JSON.stringify(line))).not.toThrow();
});
test('a tool may be named like a part of every object', () => {
  const line = { type: 'assistant', message: { content: [{ type: 'tool_use', name: 'constructor', input: {} }] } };
  expect(() => claudeParser().parse(JSON.stringify(line))).not.toThrow();
});
test('so may an agent', () => {
  expect(profileFor('constructor').name).toBe('plain');
});
test('64 KiB of content split in its end', () => {
  const l = listenForTag('response', true);
  l.hear(`<response>${'x'.repeat(64 * 1024)}</respo`);
  l.hear('nse>');
  expect(l.heard()).toHaveLength(64 * 1024);
});
const run = loopMachine(runRules);
test('a first record of a newer version is refused', () => {
  expect(() => run.begin({ ...firstRecord('run', REQUEST), v: RECORD_VERSION + 1 })).toThrow('newer release');
});
test('an end in the middle of a run is refused', () => {
  const state = play(run, run.begin(firstRecord('run', REQUEST)), inputs(), STARTED);
  expect(() =>
    run.apply(state, {
      v: 1,
      seq: 3,
      at: EPOCH,
      key: 'end',
      attempt: 1,
      result: { kind: 'ended', ending: { kind: 'done' } },
    }),
  ).toThrow();
});
test('an unclosed quote is refused, not swallowed', () => {
  expect(() => shellWords("--append-system-prompt Don't-stop")).toThrow();
});
test('durations of no length', () => {
  expect(parseDuration('0.4ms')).toBeNull();
});
test('relative XDG_STATE_HOME is ignored', () => {
  expect(stateRoot({ XDG_STATE_HOME: 'state', HOME: '/h' }).path).toBe('/h/.local/state/ralph');
});
test('the result of TodoWrite has no line of its own', () => {
  const show = eventFormatter();
  const parser = claudeParser();
  const out = [
    {
      type: 'assistant',
      message: {
        content: [
          { type: 'tool_use', id: 't1', name: 'TodoWrite', input: { todos: [{ content: 'a', status: 'pending' }] } },
        ],
      },
    },
    {
      type: 'user',
      message: {
        content: [{ type: 'tool_result', tool_use_id: 't1', content: 'Todos have been modified successfully' }],
      },
    },
  ]
    .flatMap((line) => parser.parse(JSON.stringify(line)))
    .map(show)
    .join('');
  expect(out).not.toContain('← tool');
});
test('a probe left by a killed process does not weaken the level', () => {
  const home = findCgroupHome();
  if (home === null) return;
  const probe = join(home.path, `ralph-probe-${process.pid}`);
  mkdirSync(probe);
  expect(findCgroupHome()).not.toBeNull();
});
