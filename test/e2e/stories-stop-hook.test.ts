/** The Stop hook of a stories loop as Claude Code calls it: section 3 of the seed's verification plan, and its holes. */

import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Story } from '../../src/loops/stories/list/tasks.ts';
import { identify, thisMachine } from '../../src/process/identity/identity.ts';
import { testFolder } from '../support/folder.ts';
import { answered, type Calling, hookSession, PLUGIN, type Session } from '../support/plugin-hooks.ts';
import { type Repository, testRepository } from '../support/repository.ts';
import { ROOT } from '../support/scene.ts';
import { APPROVED, SENT_BACK, SUBMITTED, story, tasksOf } from '../support/stories.ts';

const LOOK_EVERY_MS = 10;

interface Project {
  readonly repository: Repository;
  readonly session: Session;
  marker(fields: Readonly<Record<string, unknown>> | string): void;
  /** Written and committed. */
  tasks(...stories: Story[]): void;
  stop(input?: Readonly<Record<string, unknown>>, calling?: Calling): ReturnType<Session['call']>;
}

function project(): Project {
  const repository = testRepository();
  const session = hookSession(repository.cwd);
  mkdirSync(join(repository.cwd, 'ralph'));
  return {
    repository,
    session,
    marker: (fields) => repository.write('.ralph-active', typeof fields === 'string' ? fields : JSON.stringify(fields)),
    tasks(...stories) {
      repository.write('ralph/tasks.json', JSON.stringify(tasksOf(...stories)));
      repository.git('add', 'ralph');
      repository.git('commit', '-m', 'tasks');
    },
    stop: (input, calling) =>
      session.call('stop', { hook_event_name: 'Stop', stop_hook_active: false, ...input }, calling),
  };
}

/** A loop whose iteration began with `before` and ended with `after`, all committed. */
function iteration(
  mode: string,
  before: Story[],
  after: Story[],
  more: Readonly<Record<string, unknown>> = {},
): Project {
  const scene = project();
  const snapshot = before.map(({ id, passes, reviewStatus, reviewCount }) => [
    id,
    { passes, reviewStatus, reviewCount },
  ]);
  scene.marker({ iterationMode: mode, preIterationSnapshot: Object.fromEntries(snapshot), reviewCap: 5, ...more });
  scene.tasks(...after);
  return scene;
}

const US = (fields: Partial<Story> = {}) => story('US-001', fields);
const OTHER = (fields: Partial<Story> = {}) => story('US-002', fields);

/** What the agent is told, or `may stop`. */
async function told(scene: Project, calling?: Calling): Promise<string> {
  const answer = answered(await scene.stop({}, calling));
  return answer?.decision === 'block' ? String(answer.reason) : 'may stop';
}

describe('without a loop', () => {
  test('nothing is checked, and node is not asked for', async () => {
    const scene = project();
    scene.repository.write('work', 'changed');
    expect(answered(await scene.stop({}, { env: { PATH: '/nowhere' } }))).toBeNull();
  });
});

describe('check 1', () => {
  test.each<[reason: string, tasks: string | null]>([
    ['Task list validation failed: Cannot read or parse ralph/tasks.json', null],
    ['Task list validation failed: Cannot read or parse ralph/tasks.json (line 1, column 13)', '{"project": '],
    [
      "Task list validation failed: tasks.json missing required top-level field: 'branchName'",
      '{"project":"p","description":"","userStories":[]}',
    ],
    ["Task list validation failed: Duplicate story ID: 'US-001'", JSON.stringify(tasksOf(US(), US()))],
    [
      "Task list validation failed: Story US-001: 'reviewCount' must be non-negative (got -1)",
      JSON.stringify(tasksOf(US({ reviewCount: -1 }))),
    ],
  ])('%s', async (reason, tasks) => {
    const scene = project();
    scene.marker({});
    if (tasks !== null) scene.repository.write('ralph/tasks.json', tasks);
    scene.repository.git('add', '.');
    scene.repository.git('commit', '--allow-empty', '-m', 'tasks');
    expect(await told(scene)).toBe(reason);
  });

  test('a pipe in its place is no list, and nobody waits for its end', async () => {
    const scene = project();
    scene.marker({});
    execFileSync('mkfifo', [join(scene.repository.cwd, 'ralph/tasks.json')]);
    expect(await told(scene)).toContain('Task list validation failed');
  });

  test('a list that is in order passes', async () => {
    expect(await told(iteration('implement', [US()], [US(SUBMITTED)]))).toBe('may stop');
  });

  test('the list of another folder, when the loop has one', async () => {
    const scene = project();
    scene.marker({ ralphDir: 'docs/loop' });
    expect(await told(scene)).toBe('Task list validation failed: Cannot read or parse docs/loop/tasks.json');
  });
});

describe('check 2', () => {
  const NOT_APPROVED =
    /^Review integrity check failed: Story US-001 has passes=true but reviewStatus is '(null|needs_review|changes_requested)', not 'approved'\. Only review iterations may approve stories\. Set passes back to false or complete the review cycle\.$/;
  test.each<[reason: RegExp, fields: Partial<Story>]>([
    [NOT_APPROVED, { passes: true }],
    [NOT_APPROVED, { ...SUBMITTED, passes: true }],
    [NOT_APPROVED, { ...SENT_BACK, passes: true }],
    [/^may stop$/, APPROVED],
    [/changes_requested' but empty reviewFeedback/, { ...SENT_BACK, reviewFeedback: '' }],
    [/reviewStatus='approved' but passes=false. These fields must be in sync\./, { reviewStatus: 'approved' }],
    [/reviewCount=7 which exceeds reviewCap\+1 \(6\)/, { ...APPROVED, reviewCount: 7 }],
  ])('%s', async (reason, fields) => {
    const scene = project();
    scene.marker({});
    scene.tasks(US({ notes: 'x', ...fields }));
    expect(await told(scene)).toMatch(reason);
  });

  test('is left out without reviews, and so is check 2.5', async () => {
    const skip = { skipReview: true };
    expect(await told(iteration('implement', [US()], [US({ passes: true })], skip))).toBe('may stop');
  });

  test('is made without a snapshot too; a warning tells that check 2.5 was not', async () => {
    const scene = project();
    scene.marker({ iterationMode: 'implement' });
    scene.tasks(US(APPROVED));
    expect(answered(await scene.stop())).toEqual({
      systemMessage:
        'ralph: .ralph-active has no preIterationSnapshot; the transitions of the stories were not checked.',
    });
    scene.tasks(US({ passes: true }));
    expect(await told(scene)).toMatch(NOT_APPROVED);
  });

  test('is made with a marker that somebody broke', async () => {
    const scene = project();
    scene.marker('{"skipReview": tru');
    scene.tasks(US({ passes: true }));
    expect(await told(scene)).toMatch(NOT_APPROVED);
    scene.tasks(US());
    expect(answered(await scene.stop())).toEqual({
      systemMessage: 'ralph: .ralph-active cannot be read; the transitions of the stories were not checked.',
    });
  });
});

describe('check 2.5', () => {
  const ONE = { ...SUBMITTED, reviewCount: 1 };
  const IMPLEMENT =
    'Implement iterations cannot set passes=true or approve stories. Only review iterations may approve. Story US-001 had illegal transition: ';
  const FIX =
    'Review-fix iterations cannot approve stories. Story US-001 must go back to needs_review for re-review. Illegal transition: ';
  test.each<[title: string, reason: string, mode: string, before: Story[], after: Story[]]>([
    [
      'implement cannot set passes=true',
      `${IMPLEMENT}passes false → true.`,
      'implement',
      [US()],
      [US({ passes: true })],
    ],
    ['implement cannot approve', `${IMPLEMENT}reviewStatus null → 'approved'.`, 'implement', [US()], [US(APPROVED)]],
    ['implement cannot increment reviewCount', `${IMPLEMENT}reviewCount 0 → 1.`, 'implement', [US()], [US(ONE)]],
    ['implement submits', 'may stop', 'implement', [US()], [US(SUBMITTED)]],
    ['implement adds a story', 'may stop', 'implement', [US()], [US(), OTHER()]],
    [
      'implement adds a passing story',
      'New story US-002 must start with passes=false (got passes=true).',
      'implement',
      [US()],
      [US(), OTHER(APPROVED)],
    ],
    [
      'implement submits two',
      'at most one story for review. Found 2 stories',
      'implement',
      [US(), OTHER()],
      [US(SUBMITTED), OTHER(SUBMITTED)],
    ],
    [
      'implement deletes',
      'Task list validation failed: Story US-002 was deleted.',
      'implement',
      [US(), OTHER()],
      [US()],
    ],
    ['an empty snapshot', 'New story US-001 must start with passes=false', 'implement', [], [US(APPROVED)]],
    ['review approves', 'may stop', 'review', [US(ONE)], [US({ ...APPROVED, reviewCount: 2 })]],
    ['review sends back', 'may stop', 'review', [US(ONE)], [US({ ...SENT_BACK, reviewCount: 2 })]],
    [
      'review must increment reviewCount',
      'reviewCount must increment by exactly 1 (was 1, now 1)',
      'review',
      [US(ONE)],
      [US(APPROVED)],
    ],
    ['review changes nothing', 'Review iteration ended without a verdict', 'review', [US(ONE)], [US(ONE)]],
    [
      'review may only modify one story',
      'modified review fields on multiple stories (US-001, US-002)',
      'review',
      [US(SUBMITTED), OTHER(SUBMITTED)],
      [US(APPROVED), OTHER(APPROVED)],
    ],
    [
      'review approves what was never submitted',
      'it was never submitted',
      'review',
      [US(SUBMITTED), OTHER()],
      [US(SUBMITTED), OTHER(APPROVED)],
    ],
    [
      'review adds an approved story',
      'New story US-002 must start with',
      'review',
      [US(SUBMITTED)],
      [US(APPROVED), OTHER(APPROVED)],
    ],
    ['review-fix cannot approve', `${FIX}passes false → true.`, 'review-fix', [US(SENT_BACK)], [US(APPROVED)]],
    ['review-fix re-submits', 'may stop', 'review-fix', [US(SENT_BACK)], [US(ONE)]],
    [
      'review-fix cannot increment reviewCount',
      `${FIX}reviewCount 1 → 2.`,
      'review-fix',
      [US(SENT_BACK)],
      [US({ ...SUBMITTED, reviewCount: 2 })],
    ],
    [
      'review-fix submits another',
      'may only re-submit a story that a review sent back',
      'review-fix',
      [US(SENT_BACK), OTHER()],
      [US(ONE), OTHER(SUBMITTED)],
    ],
    [
      'review-fix keeps the feedback',
      'must clear reviewFeedback',
      'review-fix',
      [US(SENT_BACK)],
      [US({ ...ONE, reviewFeedback: 'Fix it' })],
    ],
  ])('%s', async (_title, reason, mode, before, after) => {
    const stories = after.map((one) => ({ ...one, notes: 'x' }));
    expect(await told(iteration(mode, before, stories))).toContain(reason);
  });

  test('a reviewer who is blocked, or needs a decision, is not driven to a verdict; illegal changes still are none', async () => {
    const stopWith = async (words: string, after: Partial<Story>) => {
      const scene = iteration('review', [US(SUBMITTED)], [US(after)]);
      return answered(await scene.stop({ last_assistant_message: words }))?.decision ?? 'may stop';
    };
    expect(await stopWith('Hm. <promise>DECIDE: a or b?</promise>', SUBMITTED)).toBe('may stop');
    expect(await stopWith('<promise>BLOCKED: no key</promise>', SUBMITTED)).toBe('may stop');
    expect(await stopWith('<promise>COMPLETE</promise>', SUBMITTED)).toBe('block');
    expect(await stopWith('<promise>BLOCKED: no key</promise>', { ...SUBMITTED, reviewCount: 3 })).toBe('block');
  });

  test('at the cap a review must approve', async () => {
    const at = (after: Partial<Story>) => told(iteration('review', [US(SUBMITTED)], [US(after)], { reviewCap: 1 }));
    expect(await at(SENT_BACK)).toContain('this was review 1 and the review cap is 1');
    expect(await at({ ...APPROVED, reviewFeedback: 'slow' })).toContain('prefix it with [AUTO-APPROVED AT CAP]');
    expect(await at(APPROVED)).toBe('may stop');
    expect(await at({ ...APPROVED, reviewFeedback: '[AUTO-APPROVED AT CAP] slow' })).toBe('may stop');
  });
});

describe('check 3', () => {
  const text = (...lines: string[]) =>
    [
      'You have uncommitted changes. Before stopping, you must:',
      '1. Update ralph/progress.txt with what was accomplished and what was learned',
      '2. Consider if any lasting patterns belong in CLAUDE.md or .claude/rules/',
      '3. Commit ALL changes including progress.txt and tasks.json updates',
      'Uncommitted:',
      ...lines,
    ].join('\n');

  test('holds back who has not committed; the marker itself is no change', async () => {
    const scene = iteration('implement', [US()], [US(SUBMITTED)]);
    scene.repository.write('work', 'changed');
    scene.repository.write('new file', '');
    expect(await told(scene)).toBe(text(' M work', '?? "new file"'));
    scene.repository.git('add', 'work', 'new file');
    scene.repository.git('commit', '-m', 'work');
    expect(await told(scene)).toBe('may stop');
  });

  test('ten thousand new files are not all named', async () => {
    const scene = iteration('implement', [US()], [US(SUBMITTED)]);
    for (let index = 0; index < 10_000; index++) scene.repository.write(`file-${index}`, '');
    expect((await told(scene)).split('\n')).toHaveLength(16);
  });

  test('stands beside what else is wrong', async () => {
    const scene = iteration('implement', [US()], [US({ passes: true })]);
    scene.repository.write('work', 'changed');
    const reason = await told(scene);
    expect(reason).toMatch(/^Review integrity check failed: /);
    expect(reason).toContain('\nTransition validation failed: ');
    expect(reason).toContain(`\n\n${text(' M work')}`);
  });

  test('outside of a repository nobody is held', async () => {
    const folder = testFolder();
    mkdirSync(join(folder, 'ralph'));
    writeFileSync(join(folder, 'ralph/tasks.json'), JSON.stringify(tasksOf(US())));
    writeFileSync(join(folder, '.ralph-active'), JSON.stringify({ skipReview: true }));
    expect(answered(await hookSession(folder).call('stop'))).toBeNull();
  });
});

test('commands that the reviewer is to run and that are gone are told by name', async () => {
  const emptied = iteration('implement', [US()], [US(SUBMITTED)], { verifyCommands: ['npm test'] });
  expect(await told(emptied)).toContain('verifyCommands ["npm test"] → []');
  expect(await told(iteration('implement', [US()], [US(SUBMITTED)], { verifyCommands: [] }))).toBe('may stop');
});

describe('where it is called from', () => {
  const wrong = () => iteration('implement', [US()], [US(APPROVED)]);
  test('the working directory does not matter', async () => {
    expect(await told(wrong(), { cwd: testFolder() })).toContain('Transition validation failed');
  });
  test('without CLAUDE_PROJECT_DIR it does', async () => {
    const env = { CLAUDE_PROJECT_DIR: undefined };
    expect(await told(wrong(), { env })).toContain('Transition validation failed');
    expect(await told(wrong(), { env, cwd: testFolder() })).toBe('may stop');
  });
  test.each(['', '{"session_id":', 'null', '[]', 'not JSON'])(
    'stdin that makes no sense changes nothing: %j',
    async (stdin) => {
      expect(await told(wrong(), { stdin })).toContain('Transition validation failed');
    },
  );
  test('a stdin that does not wait is waited for, and heard', async () => {
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

  test('the last block that counts says so to the agent, the one that will be overridden to the user', async () => {
    const answers = await blocks(wrong(), 9);
    expect(answers.map((answer) => answer?.decision)).toEqual(Array(9).fill('block'));
    expect(answers[6]?.reason).not.toContain('in a row');
    expect(answers[7]?.reason).toContain('This is block 8 in a row without a tool call');
    expect(answers[7]).not.toHaveProperty('systemMessage');
    expect(answers[8]?.systemMessage).toMatch(
      /^ralph: Claude Code overrides this block, number 9 in a row without a tool call \(its limit is 8\), and ends the turn\. Not in order: Transition/,
    );
  });

  test('a tool call between two blocks begins the count anew, words about one do not', async () => {
    const scene = wrong();
    const env = { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '2' };
    await blocks(scene, 1, env);
    appendFileSync(scene.session.transcript, `${JSON.stringify({ text: '"type":"tool_use"' })}\n`);
    expect(answered(await scene.stop(again, { env }))?.reason).toContain('block 2 in a row');
    appendFileSync(scene.session.transcript, `${JSON.stringify({ content: [{ type: 'tool_use' }] })}\n`);
    expect(answered(await scene.stop(again, { env }))?.reason).not.toContain('in a row');
  });

  test('a new turn begins the count anew', async () => {
    const scene = wrong();
    const env = { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '2' };
    await blocks(scene, 2, env);
    expect(answered(await scene.stop({}, { env }))?.reason).not.toContain('in a row');
  });

  test('0 is no limit', async () => {
    const answers = await blocks(wrong(), 10, { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0' });
    expect(answers.at(-1)).toEqual({ decision: 'block', reason: expect.not.stringContaining('in a row') });
  });
});

describe('whose marker it is', () => {
  const place = thisMachine();
  const me = identify(process.pid, place);
  const owner = { startTime: me?.startTime, boot: place.boot, pidNamespace: place.pidNamespace };
  const wrong = (more: Record<string, unknown>) => told(iteration('implement', [US()], [US(APPROVED)], more));

  test('a living loop’s is heeded, a dead one’s is not', async () => {
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

  test('from elsewhere nobody can tell, so it is heeded', async () => {
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

  test('keeps silent: the one that started last acts', async () => {
    const scene = iteration('implement', [US()], [US(APPROVED)]);
    const [first, second] = [PLUGIN, copyOf(PLUGIN)];
    for (const plugin of [first, second]) await scene.session.call('session-start', {}, { plugin });
    expect(await told(scene, { plugin: first })).toBe('may stop');
    expect(await told(scene, { plugin: second })).toContain('Transition validation failed');
    const link = join(testFolder(), 'link');
    symlinkSync(second, link);
    expect(await told(scene, { plugin: link })).toContain('Transition validation failed');
    // It is gone, and somebody must act.
    rmSync(second, { recursive: true });
    expect(await told(scene, { plugin: first })).toContain('Transition validation failed');
  });

  test('is no way out of a loop’s run: whatever the session’s file says, the hooks act', async () => {
    const scene = iteration('implement', [US()], [US(APPROVED)]);
    const env = { RALPH_GUARD: 'on' };
    writeFileSync(`/tmp/ralph-acting-${scene.session.id}`, `${testFolder()}\n`);
    expect(await told(scene, { env })).toContain('Transition validation failed');
    expect(await told(scene)).toBe('may stop');
  });

  test('in a loop’s run holds the agent, too, but the reason is told once and the block counted once', async () => {
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

  test('that starts at the same time leaves one to act', async () => {
    const scene = iteration('implement', [US()], [US(APPROVED)]);
    const copies = [PLUGIN, copyOf(PLUGIN), copyOf(PLUGIN)];
    await Promise.all(copies.map((plugin) => scene.session.call('session-start', {}, { plugin })));
    const answers = await Promise.all(copies.map((plugin) => told(scene, { plugin })));
    expect(answers.filter((answer) => answer !== 'may stop')).toHaveLength(1);
  });
});

describe('without node', () => {
  test('it says so once in a session, and never blocks', async () => {
    const scene = iteration('implement', [US()], [US(APPROVED)]);
    const bin = testFolder();
    for (const tool of ['sh', 'git', 'head', 'wc']) symlinkSync(`/usr/bin/${tool}`, join(bin, tool));
    const env = { PATH: bin };
    const first = answered(await scene.stop({}, { env }));
    expect(first).toEqual({ systemMessage: expect.stringContaining('node was not found on the PATH') });
    expect(answered(await scene.stop({}, { env }))).toBeNull();
    expect(answered(await scene.session.call('context-monitor', {}, { env }))).toBeNull();
  });

  test('the one that a loop names is used', async () => {
    const scene = iteration('implement', [US()], [US(APPROVED)]);
    const bin = testFolder();
    for (const tool of ['sh', 'git', 'head']) symlinkSync(`/usr/bin/${tool}`, join(bin, tool));
    const env = { PATH: bin, RALPH_NODE: process.execPath };
    expect(await told(scene, { env })).toContain('Transition validation failed');
  });
});
