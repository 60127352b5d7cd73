/** Once every story is approved, the commit is proved in a clean checkout, if that is asked for. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Proof } from '../../src/core/proof/proof.ts';
import { story } from '../support/stories/stories.ts';
import { type StoriesScene, type StoriesSceneOptions, storiesScene } from './scene.ts';

const ONE = [story('US-001')];
const CHECK = 'sh test/check.sh';

/** Its check is a committed script that looks for the word `right`. */
function scene(options: StoriesSceneOptions): StoriesScene {
  const made = storiesScene(ONE, { verifyCommands: [CHECK], ...options });
  mkdirSync(join(made.work, 'test'));
  made.write('work/test/check.sh', 'echo checked; grep -q right answer.txt\n');
  made.write('work/answer.txt', 'none\n');
  made.git('add', '--all');
  made.git('commit', '--quiet', '--message=A project');
  return made;
}

const inOneLine = (text: string): string => text.replaceAll('[ralph]', '').replaceAll(/\s+/g, ' ');
const proofsOf = ({ journal }: StoriesScene): Proof[] =>
  journal().flatMap(({ result }) =>
    result.kind === 'stepped' && result.what === 'prove' ? [result.gave as Proof] : [],
  );
const checkoutsOf = ({ folder }: StoriesScene): string[] => {
  const place = join(folder, '.cache/ralph/proofs');
  return existsSync(place) ? readdirSync(place) : [];
};

/** Cheats in every iteration except reviews, which are the even ones. */
const CHEAT = '[ $((n % 2)) = 0 ] || { echo true >test/check.sh; echo $n >answer.txt; }; honest approve';
const RIGHT = 'echo right >answer.txt; honest approve';

test('the commit is proved after the last approval, and the last line names it', async () => {
  const made = scene({ play: RIGHT });
  const { code, stderr } = await made.loop('--prove');
  const commit = made.git('rev-parse', '--short=7', 'HEAD').trim();
  expect(code).toBe(0);
  expect(stderr).toContain('[ralph] Once all stories are approved, ralph runs them in a clean checkout\n');
  expect(stderr).toContain(`[ralph] Proving in a clean checkout: ${CHECK}\n`);
  expect(stderr).toContain(`[ralph] ✓ proved at ${commit}\n`);
  expect(stderr).toContain(`[ralph] Proved at ${commit}\n`);
  expect(stderr).toMatch(new RegExp(`✓ Done in 2 iterations · .* · proved at ${commit}$`, 'm'));
  expect(proofsOf(made)).toHaveLength(1);
  expect(checkoutsOf(made)).toEqual([]);
  // The logs of the proof are in no commit.
  expect(made.git('status', '--porcelain')).toBe('');
  const receipt = (await made.shell('ralph receipt')).stdout;
  expect(receipt).toMatch(new RegExp(`^✓ Proved in a clean checkout of ${commit}$`, 'm'));
  expect(receipt).toMatch(/^ {2}criteria US-001 Title of US-001: It works$/m);
  expect(receipt).toMatch(new RegExp(`^  check +${CHECK}: exit 0; exit code only, tests not counted; red$`, 'm'));
  const { iterations } = JSON.parse((await made.shell('ralph show --json')).stdout);
  expect(iterations.map(({ proof }: { proof: { passed: boolean } | null }) => proof?.passed)).toEqual([
    undefined,
    true,
  ]);
});

describe('if the setup of the project is known', () => {
  const lock = { name: 'x', lockfileVersion: 3, requires: true, packages: { '': { name: 'x' } } };
  const withLock = (options: StoriesSceneOptions, content: string): StoriesScene => {
    const made = scene(options);
    made.write('work/package.json', '{ "name": "x" }\n');
    made.write('work/package-lock.json', content);
    made.git('add', '--all');
    made.git('commit', '--quiet', '--message=A package');
    return made;
  };

  test('the work is proved without a flag, but not with --no-prove', async () => {
    const made = withLock({ play: RIGHT }, JSON.stringify(lock));
    const { code, stderr } = await made.loop();
    expect(stderr).toMatch(/✓ Done in 2 iterations · .* · proved at \w{7}$/m);
    expect(proofsOf(made).map(({ setup }) => setup?.command)).toEqual(['npm ci']);
    expect(code).toBe(0);
    const off = withLock({ play: RIGHT }, JSON.stringify(lock));
    expect((await off.loop('--no-prove')).stderr).toContain("checked in the agent's work tree");
    expect(proofsOf(off)).toEqual([]);
  });

  test('a setup that fails is a warning, and the loop continues without a proof; with --prove it does not begin', async () => {
    const made = withLock({ play: RIGHT }, 'no json');
    const { code, stderr } = await made.loop();
    const why = 'the setup "npm ci" fails in a clean checkout';
    expect(inOneLine(stderr)).toContain(`WARNING: the work will not be proved: ${why}`);
    expect(stderr).toMatch(/✓ Done in 2 iterations · .* · checked in the agent's work tree$/m);
    expect(code).toBe(0);
    const asked = await withLock({ play: RIGHT }, 'no json').loop('--prove');
    expect(inOneLine(asked.stderr)).toContain(why);
    expect(asked.code).toBe(2);
  });

  test('a command that passes only in the work tree is a warning, too', async () => {
    const made = withLock({ play: RIGHT, verifyCommands: ['test -f .git/here'] }, JSON.stringify(lock));
    made.write('work/.git/here', '');
    const { code, stderr } = await made.loop();
    expect(inOneLine(stderr)).toContain('WARNING: the work will not be proved: "test -f .git/here" passes in the work');
    expect(stderr).toContain("checked in the agent's work tree");
    expect(code).toBe(0);
  });
});

test('without the flag or a known setup nothing is proved; a group of the settings turns it on, --no-prove off', async () => {
  const plain = scene({ play: RIGHT });
  const first = await plain.loop();
  expect(first.code).toBe(0);
  expect(first.stderr).toMatch(/✓ Done in 2 iterations · .* · checked in the agent's work tree$/m);
  expect(proofsOf(plain)).toEqual([]);
  const set = scene({ play: RIGHT, settings: { proof: { setup: 'touch ready' } } });
  const second = await set.loop();
  expect(second.stderr).toContain(
    '[ralph] Once all stories are approved, ralph runs them in a clean checkout, after touch ready\n',
  );
  expect(proofsOf(set).map(({ setup }) => setup?.command)).toEqual(['touch ready']);
  const off = scene({ play: RIGHT, settings: { proof: {} } });
  await off.loop('--no-prove');
  expect(proofsOf(off)).toEqual([]);
});

describe('a proof that fails', () => {
  test('sends the last approved story back with what failed; fixed and reviewed again, it is done', async () => {
    const made = scene({
      play: `cp ralph/tasks.json "$SCENE/before-$n"
        case $n in 1) echo true >test/check.sh ;; 3) git checkout -q HEAD~3 -- test; echo right >answer.txt ;; esac; honest approve`,
    });
    const { code, stderr } = await made.loop('--prove');
    expect(inOneLine(stderr)).toContain(
      '✗ approval rejected: sh test/check.sh: test/check.sh was changed; with the version from the start it fails',
    );
    expect(stderr).toContain(
      '[ralph] Story US-001: the approval does not count, the proof failed; changes requested\n',
    );
    const { userStories } = JSON.parse(made.read('before-3')) as { userStories: { reviewFeedback: string }[] };
    expect(userStories[0]).toMatchObject({ passes: false, reviewStatus: 'changes_requested', reviewCount: 1 });
    expect(userStories[0]?.reviewFeedback).toContain(
      '$ sh test/check.sh\ntest/check.sh was changed; with the version from the start it fails (exit 1). Restore these files',
    );
    expect(userStories[0]?.reviewFeedback).toContain('Its output:\nchecked');
    expect(made.commits()).toContain('review: US-001 - changes requested, the proof failed');
    expect(code).toBe(0);
    expect(proofsOf(made).map(({ findings }) => findings.length)).toEqual([1, 0]);
    expect(made.story('US-001')).toMatchObject({ passes: true, reviewCount: 2 });
  });

  test('three times in a row because of the original tests ends the loop as tampered with; --allow-edit frees the path', async () => {
    const made = scene({ play: CHEAT });
    const first = await made.loop('--prove');
    expect(first.code).toBe(9);
    expect(first.stderr).toContain('  ralph stories resume --allow-edit test/check.sh');
    expect(made.story('US-001')).toMatchObject({ passes: false, reviewStatus: 'changes_requested' });
    expect(proofsOf(made)).toHaveLength(3);
    const second = await made.stories('resume', '--allow-edit', 'test/check.sh').exited;
    expect(second.code).toBe(0);
    expect(second.stderr).toContain('The agent was allowed to change test/check.sh (--allow-edit).');
    expect(proofsOf(made).map(({ findings }) => findings.length)).toEqual([1, 1, 1, 0]);
  });

  test('ends the loop as blocked if the story has no reviews left', async () => {
    const made = scene({ play: CHEAT });
    const { code, stderr } = await made.loop('--prove', '--review-cap', '1');
    expect(code).toBe(5);
    expect(inOneLine(stderr)).toContain(
      'was approved at the review cap (1), but the proof failed: "sh test/check.sh":',
    );
  });

  test('without reviews the story does not pass', async () => {
    const made = scene({
      play: `case $n in 1) echo true >test/check.sh ;; 2) git checkout -q HEAD~2 -- test; echo right >answer.txt ;; esac
        edit "of(story).passes = true; of(story).notes = 'done'"; commit "work $n"; echo ok`,
    });
    const { code, stderr } = await made.loop('--prove', '--skip-review');
    expect(stderr).toContain('[ralph] Story US-001: does not pass, the proof failed\n');
    expect(made.promptOf('2/work/1')).toContain('> $ sh test/check.sh');
    expect(code).toBe(0);
  });

  test('blocks the loop if a person approved the last story; when it is continued, it proves again', async () => {
    const made = scene({ play: 'echo true >test/check.sh; honest' });
    const { code, stderr } = await made.loop('--prove', '-n', '1');
    expect({ code, stderr }).toMatchObject({ code: 1 });
    await made.shell(
      `node -e 'const f="ralph/tasks.json",t=JSON.parse(fs.readFileSync(f));Object.assign(t.userStories[0],{passes:true,reviewStatus:"approved",reviewCount:1,notes:"done"});fs.writeFileSync(f,JSON.stringify(t))' && git commit -qam 'By a person'`,
    );
    const blocked = await made.stories('resume', '-n', '3').exited;
    expect(blocked.code).toBe(5);
    expect(inOneLine(blocked.stderr)).toContain(
      'BLOCKED: all stories are approved, but the proof failed: "sh test/check.sh":',
    );
    await made.shell('git checkout -q HEAD~2 -- test; echo right >answer.txt; git commit -qam "By a person, too"');
    expect((await made.stories('resume').exited).code).toBe(0);
  });
});

describe('before the first iteration', () => {
  test('a check that fails only in a clean checkout keeps the loop from beginning', async () => {
    const made = scene({ play: RIGHT, verifyCommands: ['test -e ignored.local'] });
    await made.shell('echo "*.local" >.gitignore; touch ignored.local; git add .gitignore; git commit -qm ignore');
    const { code, stderr } = await made.loop('--prove');
    expect(code).toBe(2);
    expect(inOneLine(stderr)).toContain(
      '"test -e ignored.local" passes in the work tree, but not in a clean checkout (exit 1',
    );
    expect(made.starts()).toEqual([]);
  });

  test('so does a setup that fails', async () => {
    const made = scene({ play: RIGHT, settings: { proof: { setup: 'exit 3' } } });
    const { code, stderr } = await made.loop();
    expect(code).toBe(2);
    expect(inOneLine(stderr)).toContain('the setup "exit 3" fails in a clean checkout (exit 3');
    expect(made.starts()).toEqual([]);
  });

  test('a path that matches no file is named; a flag for proofs is refused if there is no proof', async () => {
    const made = scene({ play: RIGHT });
    const { code, stderr } = await made.loop('--prove', '--pin', 'goldn');
    expect(stderr).toContain('! --pin goldn matches no file\n');
    expect(code).toBe(0);
    const refused = await scene({ play: RIGHT }).loop('--accept-flaky');
    expect(refused.stderr).toContain(
      'error: --accept-flaky works only with a proof, and there is none\nhint: Add --prove',
    );
    expect(refused.code).toBe(2);
  });

  test.each([
    ['a list without commands', { verifyCommands: [] }, [], 'ralph/tasks.json has none'],
    ['--no-verify', {}, ['--no-verify'], '--no-verify leaves them out'],
  ])('--prove with %s is refused', async (_title, options, flags, why) => {
    const made = scene({ play: RIGHT, ...options });
    const { code, stderr } = await made.loop('--prove', ...flags);
    expect(code).toBe(2);
    expect(inOneLine(stderr)).toContain(`--prove runs verifyCommands in a clean checkout, and ${why}`);
  });

  test('a list that is already complete ends as before, because no agent has worked on it', async () => {
    const made = scene({ play: RIGHT });
    expect((await made.loop()).code).toBe(0);
    const { code, stderr } = await made.loop('--prove');
    expect(code).toBe(0);
    expect(stderr).toContain("checked in the agent's work tree");
  });
});
