/** What an agent must not do, without any hooks: the loop judges each iteration itself. */
import { chmodSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Story } from '../../src/loops/stories/list/tasks.ts';
import { ROOT } from '../support/scene.ts';
import { APPROVED, SENT_BACK, SUBMITTED, story } from '../support/stories/stories.ts';
import { sweep } from '../support/sweep.ts';
import { PRD, storiesScene } from './scene.ts';

/** The holes that were found in the original's hook, and what its table forbids. */
const HOLES: readonly [string, Story[], string][] = [
  ['a review approves a story that was never submitted', [story('A', SUBMITTED), story('B')], "approve('B')"],
  [
    'a review adds a story that arrives approved',
    [story('A', SUBMITTED)],
    "approve('A'); tasks.userStories.push({ ...of('A'), id: 'B' })",
  ],
  ['a review-fix submits another story', [story('A', SENT_BACK), story('B')], "code(); submit('B')"],
  ['a review-fix leaves the feedback', [story('A', SENT_BACK)], "code(); of('A').reviewStatus = 'needs_review'"],
  [
    'an implementation deletes a story',
    [story('A'), story('B')],
    "code(); submit('A'); tasks.userStories.splice(1, 1)",
  ],
  ['an implementation approves itself', [story('A')], "code(); approve('A')"],
  [
    'an implementation cuts the criteria of what it submits',
    [story('A')],
    "code(); submit('A'); of('A').acceptanceCriteria = ['x']",
  ],
  [
    'an implementation cuts the criteria of what it submits, beside a story that it adds',
    [story('A', { acceptanceCriteria: ['x', 'y'] })],
    "code(); submit('A'); of('A').acceptanceCriteria.pop(); tasks.userStories.push({ ...of('A'), id: 'B', reviewStatus: null })",
  ],
  [
    'an implementation cuts the criteria of what it will submit later',
    [story('A', { acceptanceCriteria: ['x', 'y'] })],
    "code(); of('A').acceptanceCriteria.pop()",
  ],
  [
    'an implementation adds a story whose turn never comes',
    [story('A')],
    "code(); submit('A'); tasks.userStories.push({ ...of('A'), id: 'B', reviewStatus: null, dependsOn: ['B'] })",
  ],
  [
    'an implementation adds to what a reviewer runs',
    [story('A')],
    "code(); submit('A'); tasks.verifyCommands = ['true']",
  ],
  ['an implementation passes a story', [story('A')], "of('A').passes = true; of('A').notes = 'x'"],
  ['an implementation submits two stories', [story('A'), story('B')], "submit('A'); submit('B')"],
  ['an implementation counts a review', [story('A')], "submit('A'); of('A').reviewCount = 1"],
  ['a review does not count itself', [story('A', SUBMITTED)], "approve('A'); of('A').reviewCount = 0"],
  ['a review judges two stories', [story('A', SUBMITTED), story('B', SUBMITTED)], "approve('A'); approve('B')"],
  ['a review asks for changes without a word', [story('A', SUBMITTED)], "reject('A', '')"],
  ['a review-fix approves', [story('A', SENT_BACK)], "code(); approve('A')"],
  [
    'a criterion is struck out under review',
    [story('A', SENT_BACK)],
    "code(); fix('A'); of('A').acceptanceCriteria = ['x']",
  ],
];

describe('is undone, whatever the agent committed:', () => {
  test.each(sweep(HOLES, HOLES.length))('%s', async (_title, stories, edit) => {
    const scene = storiesScene(stories, { play: `edit "${edit}"; commit "sneaky $n"; echo ok` });
    const before = scene.tasks();
    const { code, stderr } = await scene.loop('-n', '1');
    expect(stderr).toContain('[ralph] TAMPERED: ');
    expect(scene.tasks()).toEqual(before);
    expect(scene.git('status', '--porcelain', 'ralph')).toBe('');
    expect(scene.commits()[0]).toBe(
      'chore(ralph): restore the story list — the iteration made changes that it may not make',
    );
    expect(code).toBe(1);
    const kept = /The agent's version is kept in (.+)/.exec(stderr)?.[1] ?? '';
    expect(readFileSync(kept, 'utf8')).not.toBe(readFileSync(join(scene.work, 'ralph/tasks.json'), 'utf8'));
  });

  test.each([
    ['is no JSON', 'echo "{" >ralph/tasks.json'],
    ['is gone', 'git rm -q ralph/tasks.json'],
    ['is a pipe', 'rm ralph/tasks.json; mkfifo ralph/tasks.json'],
    ['is a folder', 'rm ralph/tasks.json; mkdir ralph/tasks.json; echo x >ralph/tasks.json/x'],
  ])('a list that %s', async (_title, play) => {
    const scene = storiesScene([story('A')], { play: `${play}; git add -A; git commit -qm sneaky; echo ok` });
    const before = readFileSync(join(scene.work, 'ralph/tasks.json'), 'utf8');
    const { code, stderr } = await scene.loop('-n', '1');
    expect(stderr).toContain('[ralph] TAMPERED: Task list validation failed');
    expect(readFileSync(join(scene.work, 'ralph/tasks.json'), 'utf8')).toBe(before);
    expect(scene.git('status', '--porcelain', 'ralph')).toBe('');
    expect(code).toBe(1);
  });

  test('a list that is a link: what it points to is neither read nor written', async () => {
    const play = `cp ralph/tasks.json "$SCENE/outside"; ln -sf "$SCENE/outside" ralph/tasks.json; edit "submit('A')"; commit x; echo ok`;
    const scene = storiesScene([story('A')], { play });
    await scene.loop('-n', '1');
    expect(scene.story('A').reviewStatus).toBeNull();
    expect(scene.read('outside')).toContain('needs_review');
    expect(lstatSync(join(scene.work, 'ralph/tasks.json')).isFile()).toBe(true);
  });

  test('a changed prd.md, even with an honest list', async () => {
    const scene = storiesScene([story('A')], { play: 'echo "and nothing else" >>ralph/prd.md; honest' });
    const { stderr } = await scene.loop('-n', '1');
    expect(stderr).toContain('[ralph] TAMPERED: prd.md was changed.');
    expect(readFileSync(join(scene.work, 'ralph/prd.md'), 'utf8')).toBe(PRD);
    expect(scene.story('A').reviewStatus).toBeNull();
    expect(scene.git('status', '--porcelain', 'ralph')).toBe('');
  });
});

test('an agent that also removes or rewrites the marker is judged by the loop’s own copy', async () => {
  const lie = `edit "approve('A')"; echo '{"preIterationSnapshot":{},"skipReview":true}' >.ralph-active; commit x; echo ok`;
  const scene = storiesScene([story('A')], { play: lie });
  const { stderr } = await scene.loop('-n', '1');
  expect(stderr).toContain('TAMPERED');
  expect(scene.story('A')).toMatchObject({ passes: false, reviewStatus: null });
});

test('an agent that also overwrites the loop’s copies of the list gets nothing approved by it', async () => {
  const forge = 'for copy in "$XDG_STATE_HOME"/ralph/loops/*/copies/*; do cp ralph/tasks.json "$copy"; done';
  const scene = storiesScene([story('A')], { play: `edit "approve('A')"; ${forge}; commit x; echo ok` });
  const { stderr, code } = await scene.loop('-n', '1');
  expect(stderr).toContain('TAMPERED: Transition validation failed');
  expect(scene.story('A')).toMatchObject({ passes: false, reviewStatus: null });
  expect(code).toBe(1);
});

describe('a prd.md', () => {
  const bytes = (scene: { work: string }) => readFileSync(join(scene.work, 'ralph/prd.md'));

  test('that is not UTF-8 is restored byte by byte', async () => {
    const latin = Buffer.from('caf\xe9 \xff\n', 'latin1');
    const scene = storiesScene([story('A')], { play: 'echo more >>ralph/prd.md; honest' });
    writeFileSync(join(scene.work, 'ralph/prd.md'), latin);
    scene.git('commit', '--quiet', '--all', '--message=latin');
    const { stderr } = await scene.loop('-n', '1');
    expect(stderr).toContain('TAMPERED: prd.md was changed.');
    expect(bytes(scene)).toEqual(latin);
    expect(scene.git('status', '--porcelain', 'ralph')).toBe('');
  });

  test('that is larger than a list can be is protected, too', async () => {
    const large = Buffer.alloc(17 * 1024 * 1024, 'x');
    const scene = storiesScene([story('A')], { play: 'echo more >>ralph/prd.md; honest' });
    writeFileSync(join(scene.work, 'ralph/prd.md'), large);
    const { stderr } = await scene.loop('-n', '1');
    expect(stderr).toContain('TAMPERED: prd.md was changed.');
    expect(bytes(scene).equals(large)).toBe(true);
  });
});

describe('a repository that was there when the loop began', () => {
  test.each([
    ['is gone', 'rm -rf .git'],
    ['is broken', 'rm .git/HEAD'],
    ['is another one', 'rm -rf .git; git init -q; git add -A; git commit -qm new'],
    ['has its files elsewhere', 'cp -r . "$SCENE/copy"; git config core.worktree "$SCENE/copy"'],
  ])('and %s ends the loop as tampered with', async (_what, act) => {
    const scene = storiesScene([story('A')], { play: `[ $n = 1 ] && { honest; ${act}; exit; }; honest approve` });
    const { code, stderr } = await scene.loop();
    expect(stderr).toContain(`[ralph] ERROR: the git repository in ${scene.work} is gone, or its history is`);
    expect(code).toBe(9);
    expect(scene.starts()).toEqual(['agent 1/work/1']);
    expect((await scene.stories('status').exited).stdout).toContain('Loop: stopped after 1 iteration: tampered with (');
    expect((await scene.stories('archive').exited).code).toBe(0);
  });

  test('and whose changes git cannot determine fails the review', async () => {
    const scene = storiesScene([story('A', SUBMITTED)], { play: 'honest approve' });
    scene.write('bin/mktemp', '#!/bin/sh\nexit 1\n');
    chmodSync(join(scene.folder, 'bin/mktemp'), 0o755);
    const { stderr } = await scene.loop('-n', '1');
    expect(stderr).toContain('Iteration failed: Git cannot tell whether the review iteration changed code');
    expect(scene.story('A').passes).toBe(false);
  });
});

test('a review-fix whose changes git cannot determine has fixed nothing', async () => {
  const play = `edit "fix('A')"; printf '#!/bin/sh\\nexit 1\\n' >"$SCENE/bin/mktemp"; chmod +x "$SCENE/bin/mktemp"; echo ok`;
  const scene = storiesScene([story('A', SENT_BACK)], { play });
  const { stderr } = await scene.loop('-n', '1');
  expect(stderr).toContain('[ralph] Iteration failed: Git cannot tell what the review-fix iteration changed');
  expect(scene.story('A').reviewStatus).toBe('changes_requested');
});

describe('a review', () => {
  const approving = (before: string) => `${before}; honest approve`;

  test('that changes code approves nothing, and the next prompt says so', async () => {
    const play = approving('[ $n = 1 ] && echo better >>code.txt');
    const scene = storiesScene([story('A', SUBMITTED)], { play });
    const { stderr, code } = await scene.loop();
    expect(stderr).toContain('[ralph] Iteration failed: The review iteration changed code: its approval of story A');
    expect(scene.commits()).toContain('chore(ralph): restore the story list — the iteration does not count');
    expect(scene.promptOf('2/work/1')).toContain('The review iteration changed code');
    expect(scene.read('work/code.txt')).toBe('better\n');
    expect(scene.story('A')).toMatchObject({ passes: true, reviewCount: 1 });
    expect(scene.starts()).toHaveLength(2);
    expect(code).toBe(0);
  });

  test.each([
    ['assume-unchanged', 'git update-index --assume-unchanged work.txt; echo better >work.txt'],
    ['skip-worktree', 'git update-index --skip-worktree work.txt; echo better >work.txt'],
    ['a repository of its own', 'echo better >lib/code.txt'],
  ])('that hides its edit by %s approves nothing, either', async (_how, act) => {
    const scene = storiesScene([story('A', SUBMITTED)], { play: approving(act) });
    await scene.shell('git init -q lib; echo x >lib/code.txt; git -C lib add -A; git -C lib commit -qm inner');
    const { stderr } = await scene.loop('-n', '1');
    expect(stderr).toContain('[ralph] Iteration failed: The review iteration changed code: its approval of story A');
    expect(scene.story('A').passes).toBe(false);
  });

  test('can write rules that hold beyond the loop, such as CLAUDE.md', async () => {
    const play = approving(
      'mkdir -p .claude/rules sub; for f in CLAUDE.md sub/CLAUDE.md .claude/rules/x.md; do echo bun >$f; done',
    );
    const scene = storiesScene([story('A', SUBMITTED)], { play });
    expect((await scene.loop('-n', '1')).code).toBe(0);
  });

  test('that forgets the notes of what it approves counts as failed, and the next prompt says so', async () => {
    const play = `[ $n = 1 ] && { edit "approve('A'); of('A').notes = ''"; commit x; echo ok; exit; }; honest approve`;
    const scene = storiesScene([story('A', SUBMITTED)], { play });
    const { stderr, code } = await scene.loop();
    expect(stderr).not.toContain('TAMPERED');
    expect(stderr).toContain(
      "[ralph] Iteration failed: Task list validation failed: Story A: has passes=true but empty 'notes'",
    );
    expect(scene.promptOf('2/work/1')).toContain('document what was done');
    expect(scene.story('A')).toMatchObject({ passes: true, reviewCount: 1 });
    expect(code).toBe(0);
  });
});

test('of a duplicate key the last one counts, for the judge as for every other reader', async () => {
  const twice = `sed -i 's/"passes": false/"passes": false, "reviewStatus": "approved", "reviewCount": 1, "notes": "x", "passes": true/; /"reviewStatus": null/d; /"reviewCount": 0/d; /"notes": ""/d' ralph/tasks.json`;
  const scene = storiesScene([story('A')], { play: `${twice}; commit x; echo ok` });
  const { stderr } = await scene.loop('-n', '1');
  expect(stderr).toContain('passes false → true');
  expect(scene.story('A').passes).toBe(false);
});

test('an uncommitted edit of a list that git does not track is undone without a commit', async () => {
  const scene = storiesScene([story('A')], { play: `edit "approve('A')"; echo ok` });
  scene.git('rm', '-r', '--quiet', '--cached', 'ralph');
  scene.git('commit', '--quiet', '--message=untracked');
  await scene.loop('-n', '1');
  expect(scene.story('A').passes).toBe(false);
  expect(scene.commits()[0]).toBe('untracked');
});

test('the next prompt says why the iteration did not count, and three in a row end the loop', async () => {
  const scene = storiesScene([story('A')], { play: `edit "approve('A')"; commit "sneaky $n"; echo ok` });
  const { code, stderr } = await scene.loop();
  expect(code).toBe(9);
  expect(stderr).toContain('[ralph] ERROR: 3 iterations in a row made changes that they may not make.');
  expect(scene.starts()).toHaveLength(3);
  expect(scene.promptOf('1/work/1')).not.toContain('did not count');
  expect(scene.promptOf('2/work/1')).toContain(
    '> Transition validation failed: Implement iterations cannot set passes=true or approve stories. Only review iterations may approve. Story A had illegal transition: passes false → true.',
  );
  expect(scene.story('A')).toMatchObject({ passes: false, reviewStatus: null, reviewCount: 0 });
});

test('an honest iteration in between resets the count', async () => {
  const play = `[ $n = 3 ] && { honest; exit; }; edit "approve('B')"; commit x; echo ok`;
  const scene = storiesScene([story('A'), story('B')], { play });
  const { code, stderr } = await scene.loop('-n', '5');
  expect(stderr).toContain('Max iterations (5) reached');
  expect(code).toBe(1);
  expect(scene.story('A').reviewStatus).toBe('needs_review');
});

test('a story approved earlier stays approved when an iteration is undone', async () => {
  const scene = storiesScene([story('A', APPROVED), story('B')], {
    play: `edit "approve('B'); of('A').passes = false"; commit x; echo ok`,
  });
  await scene.loop('-n', '1');
  expect(scene.story('A')).toMatchObject(APPROVED);
});

describe('between two iterations', () => {
  /** Holds the loop once while it looks at what a run has left: it has read the files, and asks git for the commit. */
  const HOLD = `#!/bin/sh
case " $* " in *" rev-parse "*) [ -e "$SCENE/hold" ] && {
  rm "$SCENE/hold"
  echo "git at gate" >>"$SCENE/starts.log"
  read -r _ <"$SCENE/gate"
} ;; esac
PATH=\${PATH#*:}
export PATH
exec git "$@"
`;
  /** The test does what a process that the agent left running could do. */
  const waiting = async (edit: string) => {
    const play = '[ $n = 1 ] && { touch "$SCENE/hold"; echo no; exit 1; }; honest approve';
    const scene = storiesScene([story('A')], { play });
    scene.write('bin/git', HOLD);
    chmodSync(join(scene.folder, 'bin/git'), 0o755);
    const ended = scene.loop();
    await scene.logged('git at gate');
    await scene.shell(edit);
    scene.openGate();
    const agents = () => scene.starts().filter((line) => line.startsWith('agent'));
    return { scene, agents, ...(await ended) };
  };
  const EDIT = `node "${join(ROOT, 'test/fakes/story-edit.cjs')}"`;

  test('an approval that appears is undone', async () => {
    const { scene, agents, stderr, code } = await waiting(`${EDIT} "approve('A')"; git commit -qam sneaky`);
    expect(stderr).toContain('[ralph] TAMPERED: tasks.json was changed between two iterations.');
    expect(stderr).toContain('[ralph] What was written is kept in ');
    expect(scene.commits()).toContain('chore(ralph): restore the story list — it was changed between two iterations');
    expect(agents()).toEqual(['agent 1/work/1', 'agent 2/work/2', 'agent 3/work/1']);
    expect(scene.story('A')).toMatchObject({ passes: true, reviewCount: 1 });
    expect(code).toBe(0);
  });

  test('so is a change of prd.md', async () => {
    const { scene, stderr } = await waiting('echo and no tests >>ralph/prd.md');
    expect(stderr).toContain('TAMPERED: prd.md was changed between two iterations.');
    expect(readFileSync(join(scene.work, 'ralph/prd.md'), 'utf8')).toBe(PRD);
  });

  test('a story that a person adds is kept', async () => {
    const add = `tasks.userStories.push({ ...of('A'), id: 'B', title: 'More' })`;
    const { scene, stderr, code } = await waiting(`${EDIT} "${add}"`);
    expect(stderr).not.toContain('TAMPERED');
    expect(scene.story('B')).toMatchObject({ passes: true, reviewCount: 1 });
    expect(code).toBe(0);
  });
});
