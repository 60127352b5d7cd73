/** Bugs that were fixed and must not come back: claims, agents, settings, the machine. */

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
test('a claim in an echoed prompt file that ends with a line feed does not count', () => {
  const prompt = `Do the work.\nThen say ${DONE}.\n`;
  expect(heard(prompt, prompt)).toBeNull();
});
test('a claim directly before an echoed prompt counts', () => {
  expect(heard('\nDo the work.', `${DONE}\nDo the work.\n`)).toBe('DONE');
});
test('a claim in an echoed prompt with carriage returns (a tmux pane) does not count', () => {
  const prompt = `Do the work.\nThen say ${DONE}.`;
  expect(heard(prompt, `${prompt}\n`.replaceAll('\n', '\r\n'))).toBeNull();
});
test('a sync that failed in the background is reported to the next caller that waits', async () => {
  let calls = 0;
  const d = durabilityOf({ sync: () => (calls++ === 0 ? Promise.reject(new Error('EIO')) : Promise.resolve()) });
  d.begin();
  await new Promise((r) => setImmediate(r));
  await expect(d.synced()).rejects.toThrow('EIO');
});
test('a lock whose holder file was emptied by a power cut does not throw a SyntaxError', () => {
  const folder = join(testFolder(), 'lock');
  mkdirSync(folder);
  writeFileSync(join(folder, 'holder-00000000000000000001-1.json'), '');
  expect(() => tryLock(folder, 'x')).not.toThrow(SyntaxError);
});
test('a status.json emptied by a power cut does not hide other loops', () => {
  const root = { path: testFolder() };
  mkdirSync(join(root.path, 'loops/a'), { recursive: true });
  writeFileSync(join(root.path, 'loops/a/status.json'), '');
  expect(() => listLoops(root)).not.toThrow();
});
test('a group leader from another boot has no living processes', () => {
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
test('the flag -p of the user is not repeated', () => {
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
test('a todo list with null entries does not break the parser', () => {
  const line = {
    type: 'assistant',
    message: { content: [{ type: 'tool_use', name: 'TodoWrite', input: { todos: [null] } }] },
  };
  expect(() => claudeParser().parse(JSON.stringify(line))).not.toThrow();
});
test('a tool can have the name of a property that every object has', () => {
  const line = { type: 'assistant', message: { content: [{ type: 'tool_use', name: 'constructor', input: {} }] } };
  expect(() => claudeParser().parse(JSON.stringify(line))).not.toThrow();
});
test('an agent can have such a name, too', () => {
  expect(profileFor('constructor').name).toBe('plain');
});
test('64 KiB of content are read even if the closing tag is split', () => {
  const l = listenForTag('response', true);
  l.hear(`<response>${'x'.repeat(64 * 1024)}</respo`);
  l.hear('nse>');
  expect(l.heard()).toHaveLength(64 * 1024);
});
const run = loopMachine(runRules);
test('a first record of a newer version is refused', () => {
  expect(() => run.begin({ ...firstRecord('run', REQUEST), v: RECORD_VERSION + 1 })).toThrow('newer release');
});
test('the record of an end during a run is refused', () => {
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
test('a duration that rounds to zero is refused', () => {
  expect(parseDuration('0.4ms')).toBeNull();
});
test('relative XDG_STATE_HOME is ignored', () => {
  expect(stateRoot({ XDG_STATE_HOME: 'state', HOME: '/h' }).path).toBe('/h/.local/state/ralph');
});
test('the result of TodoWrite is not shown', () => {
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
test('a probe left by a killed process does not lower the containment level', () => {
  const home = findCgroupHome();
  if (home === null) return;
  const probe = join(home.path, `ralph-probe-${process.pid}`);
  mkdirSync(probe);
  expect(findCgroupHome()).not.toBeNull();
});
