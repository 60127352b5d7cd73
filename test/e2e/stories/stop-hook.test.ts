/** How Claude Code calls the Stop hook of a stories loop: from any folder, repeatedly, and in several copies. */
import {
  appendFileSync,
  chmodSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { identify, thisMachine } from '../../../src/process/identity/identity.ts';
import { testFolder } from '../../support/folder.ts';
import { ROOT } from '../../support/scene.ts';
import { answered, PLUGIN } from '../../support/session/plugin-hooks.ts';
import { APPROVED } from '../../support/stories/stories.ts';
import { iteration, type Project, told, US } from '../../support/stories/stories-stop.ts';

const LOOK_EVERY_MS = 10;

describe('how it is called', () => {
  const wrong = () => iteration('implement', [US()], [US(APPROVED)]);
  test('the working directory does not matter', async () => {
    expect(await told(wrong(), { cwd: testFolder() })).toContain('Transition validation failed');
  });
  test('without CLAUDE_PROJECT_DIR, the working directory matters', async () => {
    const env = { CLAUDE_PROJECT_DIR: undefined };
    expect(await told(wrong(), { env })).toContain('Transition validation failed');
    expect(await told(wrong(), { env, cwd: testFolder() })).toBe('may stop');
  });
  test.each(['', '{"session_id":', 'null', '[]', 'not JSON'])('invalid stdin is ignored: %j', async (stdin) => {
    expect(await told(wrong(), { stdin })).toContain('Transition validation failed');
  });
  test('a non-blocking stdin is read to its end', async () => {
    const scene = wrong();
    scene.session.grow(100);
    const env = { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '2' };
    await scene.stop({}, { env });
    const { id: session_id, transcript: transcript_path } = scene.session;
    const input = JSON.stringify({ session_id, transcript_path, stop_hook_active: true });
    const folder = testFolder();
    const [reads, node] = [join(folder, 'reads'), join(folder, 'node')];
    writeFileSync(reads, '');
    writeFileSync(
      node,
      `#!/bin/sh\nexec "${process.execPath}" --require "${join(ROOT, 'test/fakes/tell-reads.cjs')}" "$@"\n`,
    );
    chmodSync(node, 0o755);
    const has = async (pattern: RegExp) => {
      while (!pattern.test(readFileSync(reads, 'utf8'))) await sleep(LOOK_EVERY_MS);
    };
    const late = async function* () {
      await has(/EAGAIN/);
      yield input.slice(0, 30);
      await has(/30 bytes\nEAGAIN/);
      yield input.slice(30);
    };
    const front = [join(ROOT, 'test/fakes/nonblocking-stdin.pl')];
    const watched = { ...env, READS: reads, RALPH_NODE: node };
    expect(await told(scene, { env: watched, stdin: late(), front })).toContain('This is block 2 in a row');
  });
});

describe('Claude Code’s limit of blocks in a row', () => {
  const again = { stop_hook_active: true };
  async function blocks(scene: Project, count: number, env: Record<string, string> = {}) {
    const answers = [];
    for (let index = 0; index < count; index++)
      answers.push(answered(await scene.stop(index === 0 ? {} : again, { env })));
    return answers;
  }
  const wrong = () => {
    const scene = iteration('implement', [US()], [US(APPROVED)]);
    scene.session.grow(100);
    return scene;
  };

  test('the last block that counts warns the agent, the one that will be overridden warns the user', async () => {
    const answers = await blocks(wrong(), 9);
    expect(answers.map((answer) => answer?.decision)).toEqual(Array(9).fill('block'));
    expect(answers[6]?.reason).not.toContain('in a row');
    expect(answers[7]?.reason).toContain('This is block 8 in a row without a tool call');
    expect(answers[7]).not.toHaveProperty('systemMessage');
    expect(answers[8]?.systemMessage).toMatch(
      /^ralph: Claude Code overrides this block, number 9 in a row without a tool call \(its limit is 8\), and ends the turn\. Not in order: Transition/,
    );
  });

  test('a tool call between two blocks resets the count, text about one does not', async () => {
    const scene = wrong();
    const env = { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '2' };
    await blocks(scene, 1, env);
    appendFileSync(scene.session.transcript, `${JSON.stringify({ text: '"type":"tool_use"' })}\n`);
    expect(answered(await scene.stop(again, { env }))?.reason).toContain('block 2 in a row');
    appendFileSync(scene.session.transcript, `${JSON.stringify({ content: [{ type: 'tool_use' }] })}\n`);
    expect(answered(await scene.stop(again, { env }))?.reason).not.toContain('in a row');
  });

  test('a new turn resets the count', async () => {
    const scene = wrong();
    const env = { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '2' };
    await blocks(scene, 2, env);
    expect(answered(await scene.stop({}, { env }))?.reason).not.toContain('in a row');
  });

  test('0 means no limit', async () => {
    const answers = await blocks(wrong(), 10, { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0' });
    expect(answers.at(-1)).toEqual({ decision: 'block', reason: expect.not.stringContaining('in a row') });
  });
});

describe('the owner of the marker', () => {
  const place = thisMachine();
  const me = identify(process.pid);
  const owner = { startTime: me?.startTime, boot: place.boot, pidNamespace: place.pidNamespace };
  const wrong = (more: Record<string, unknown>) => told(iteration('implement', [US()], [US(APPROVED)], more));

  test('the marker of a live loop counts, that of a dead one does not', async () => {
    expect(await wrong({ pid: process.pid, process: owner })).toContain('Transition validation failed');
    const gone = iteration('implement', [US()], [US(APPROVED)], {
      pid: process.pid,
      process: { ...owner, startTime: '1' },
    });
    expect(answered(await gone.stop())).toEqual({
      systemMessage: `ralph: .ralph-active was left by process ${process.pid}, which is gone; nothing is checked.`,
    });
    expect(await wrong({ pid: process.pid, process: { ...owner, boot: 'another' } })).toBe('may stop');
  });

  test('from another namespace or machine it is unknown, so the marker counts', async () => {
    const elsewhere = { ...owner, startTime: '1', pidNamespace: 'another' };
    expect(await wrong({ pid: 1, process: elsewhere })).toContain('Transition validation failed');
    const sandboxed = { pid: 1, process: { ...owner, boot: 'another' }, mode: 'sandbox' };
    expect(await wrong(sandboxed)).toContain('Transition validation failed');
  });
});

describe('a second copy of the plugin', () => {
  const copyOf = (plugin: string) => {
    const copy = join(testFolder(), 'copy');
    cpSync(plugin, copy, { recursive: true });
    return copy;
  };

  test('is silent: only the one that started last acts', async () => {
    const scene = iteration('implement', [US()], [US(APPROVED)]);
    const [first, second] = [PLUGIN, copyOf(PLUGIN)];
    for (const plugin of [first, second]) await scene.session.call('session-start', {}, { plugin });
    expect(await told(scene, { plugin: first })).toBe('may stop');
    expect(await told(scene, { plugin: second })).toContain('Transition validation failed');
    const link = join(testFolder(), 'link');
    symlinkSync(second, link);
    expect(await told(scene, { plugin: link })).toContain('Transition validation failed');
    // The copy that would act is gone, so the first one acts again.
    rmSync(second, { recursive: true });
    expect(await told(scene, { plugin: first })).toContain('Transition validation failed');
  });

  test('does not disable the hooks in a loop’s run, whatever the session’s file says', async () => {
    const scene = iteration('implement', [US()], [US(APPROVED)]);
    const env = { RALPH_GUARD: 'on' };
    writeFileSync(`/tmp/ralph-acting-${scene.session.id}`, `${testFolder()}\n`);
    expect(await told(scene, { env })).toContain('Transition validation failed');
    expect(await told(scene)).toBe('may stop');
  });

  test('blocks the agent in a loop’s run, too, but the reason is reported and the block counted once', async () => {
    const scene = iteration('implement', [US()], [US(APPROVED)]);
    scene.session.grow(100);
    const env = { RALPH_GUARD: 'on', CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '2' };
    const copies = [PLUGIN, copyOf(PLUGIN)];
    const event = () => Promise.all(copies.map((plugin) => scene.stop({ stop_hook_active: true }, { env, plugin })));
    for (const block of [1, 2]) {
      const answers = (await event()).map(answered);
      expect(answers.map((answer) => answer?.decision)).toEqual(['block', 'block']);
      const reasons = answers.map((answer) => String(answer?.reason));
      const whole = reasons.filter((reason) => reason.includes('Transition validation failed'));
      expect(whole).toHaveLength(1);
      expect(whole[0]?.includes('This is block 2 in a row')).toBe(block === 2);
      expect(reasons.find((reason) => !whole.includes(reason))).toBe(
        'Not in order yet: see what the Stop hook of ralph has said already.',
      );
      scene.session.grow(100 + block);
    }
    await scene.session.call('session-end', {});
    expect(readdirSync('/tmp').filter((name) => name.includes(scene.session.id))).toEqual([]);
  });

  test('that starts at the same time leaves exactly one to act', async () => {
    const scene = iteration('implement', [US()], [US(APPROVED)]);
    const copies = [PLUGIN, copyOf(PLUGIN), copyOf(PLUGIN)];
    await Promise.all(copies.map((plugin) => scene.session.call('session-start', {}, { plugin })));
    const answers = await Promise.all(copies.map((plugin) => told(scene, { plugin })));
    expect(answers.filter((answer) => answer !== 'may stop')).toHaveLength(1);
  });
});

describe('without node', () => {
  test('it warns once per session, and never blocks', async () => {
    const scene = iteration('implement', [US()], [US(APPROVED)]);
    const bin = testFolder();
    for (const tool of ['sh', 'git', 'head', 'wc']) symlinkSync(`/usr/bin/${tool}`, join(bin, tool));
    const env = { PATH: bin };
    const first = answered(await scene.stop({}, { env }));
    expect(first).toEqual({ systemMessage: expect.stringContaining('node was not found on the PATH') });
    expect(answered(await scene.stop({}, { env }))).toBeNull();
    expect(answered(await scene.session.call('context-monitor', {}, { env }))).toBeNull();
  });

  test('the node that a loop names is used', async () => {
    const scene = iteration('implement', [US()], [US(APPROVED)]);
    const bin = testFolder();
    for (const tool of ['sh', 'git', 'head']) symlinkSync(`/usr/bin/${tool}`, join(bin, tool));
    const env = { PATH: bin, RALPH_NODE: process.execPath };
    expect(await told(scene, { env })).toContain('Transition validation failed');
  });
});
