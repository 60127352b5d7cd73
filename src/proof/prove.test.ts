/** Uses real checkouts, through the performers of a loop. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asked, type Proving, proved, provingScene } from '../../test/support/proof/proving.ts';
import { holds, type Proof, wordsOfFinding } from '../core/proof/proof.ts';

const FILES = { work: 'begin\n', '.gitignore': '*.local\n' };
/** Passes when the work is done. */
const DONE = asked('grep -q done work');
const TESTS = {
  ...FILES,
  'a.test.mjs': "import { test } from 'node:test';\ntest('a', () => {});\ntest('b', () => {});\n",
};
const NODE = asked('node --test');

const kindsOf = ({ findings }: Proof): string[] => findings.map(({ is }) => is);

function expectNothingLeft({ place }: Proving): void {
  expect(readdirSync(place)).toEqual([]);
}

describe('the start', () => {
  test('the setup and the checks run in a clean checkout; what they print is left in the project', async () => {
    const scene = provingScene(FILES);
    scene.write('out.local', 'ignored\n');
    const checks = [DONE, asked('echo hello; ls -A; test ! -e out.local'), asked('test "$(cat made)" = made')];
    const base = proved(await scene.base(checks, { setup: 'echo made >made; echo set up' }));
    expect(base.setup).toMatchObject({ command: 'echo made >made; echo set up', outcome: { is: 'passed' } });
    expect(base.checks.map(({ outcome }) => outcome.is)).toEqual(['failed', 'passed', 'passed']);
    expect(base.head).toBe(scene.git('rev-parse', 'HEAD').trim());
    expect(readFileSync(join(scene.work, '.ralph/proof_base_setup.log'), 'utf8')).toBe('set up\n');
    expect(base.checks[1]?.log).toBe('.ralph/proof_base_1_echo_hello_ls_A_test_e_out_local.log');
    expect(existsSync(join(scene.work, 'made'))).toBe(false);
    expectNothingLeft(scene);
  });

  test('no check runs after a setup that failed', async () => {
    const base = proved(await provingScene(FILES).base([DONE], { setup: 'exit 3' }));
    expect(base.setup).toMatchObject({ outcome: { is: 'failed', code: 3 } });
    expect(base.checks).toEqual([]);
  });

  test('without a repository there is none', async () => {
    const { base, folder } = provingScene(FILES);
    expect(await base([DONE], {}, folder)).toEqual({ impossible: 'there is no git repository' });
  });

  test('what git or the disk says is the reason', async () => {
    const scene = provingScene(FILES);
    writeFileSync(join(scene.folder, '.cache'), 'no folder');
    expect(await scene.base([DONE])).toEqual({ impossible: expect.stringContaining('.cache') });
  });

  test('one that is cut off is no result', async () => {
    const scene = provingScene(FILES);
    scene.stop.abort();
    await expect(scene.base([DONE])).rejects.toThrow('aborted');
  });

  test('a loop in a subfolder has its checks run there', async () => {
    const scene = provingScene({ 'deep/er/here': '' });
    const base = proved(await scene.base([asked('test -f here')], {}, join(scene.work, 'deep/er')));
    expect(base.checks[0]?.outcome.is).toBe('passed');
  });
});

describe('a claim', () => {
  test('holds where the checks pass in a clean checkout', async () => {
    const scene = provingScene(FILES);
    const base = await scene.base([DONE]);
    scene.write('work', 'done\n');
    const proof = await scene.claim(base, [DONE]);
    expect(proof).toMatchObject({ at: { commit: null }, setup: null, pinned: null, findings: [] });
    expect(proof.checks).toMatchObject([{ command: DONE.command, outcome: { is: 'passed' } }]);
    expectNothingLeft(scene);
  });

  test('is rejected where nothing has changed', async () => {
    const scene = provingScene(FILES);
    const base = await scene.base([asked('true')]);
    scene.write('out.local', 'ignored\n');
    expect(kindsOf(await scene.claim(base, [asked('true')]))).toEqual(['unchanged']);
  });

  test('counts what is committed, and names what is not', async () => {
    const scene = provingScene(FILES);
    const check = asked('cat part && grep -q done work');
    const base = await scene.base([check]);
    scene.write('work', 'done\n');
    scene.git('commit', '--quiet', '--all', '--message=work');
    scene.write('part');
    const red = await scene.claim(base, [check], { isCommitted: true });
    expect(red.findings).toMatchObject([{ is: 'red', command: check.command, uncommitted: ['part'] }]);
    scene.commit('part');
    const green = await scene.claim(base, [check], { isCommitted: true });
    expect(green).toMatchObject({ at: { commit: scene.git('rev-parse', 'HEAD').trim() }, findings: [] });
  });

  test('is rejected without a commit, where one counts', async () => {
    const scene = provingScene(FILES);
    const base = await scene.base([DONE]);
    scene.git('update-ref', '-d', 'HEAD');
    expect((await scene.claim(base, [DONE], { isCommitted: true })).findings).toEqual([
      { is: 'impossible', reason: 'the project has no commit' },
    ]);
  });

  test('is rejected where its setup fails, or there is no repository any more', async () => {
    const scene = provingScene({ ...FILES, setup: 'exit 0\n' });
    const terms = { setup: 'sh ./setup' };
    const base = await scene.base([DONE], terms);
    scene.write('setup', 'exit 1\n');
    expect(kindsOf(await scene.claim(base, [DONE], { terms }))).toEqual(['setup']);
    rmSync(join(scene.loop, 'snapshots.git'), { recursive: true });
    rmSync(join(scene.work, '.git'), { recursive: true });
    expect(kindsOf(await scene.claim(base, [DONE], { terms }))).toEqual(['impossible']);
  });

  test('does not need a check that was red before and is excused', async () => {
    const scene = provingScene(FILES);
    const checks = [DONE, asked('false', { isExcused: true })];
    const base = await scene.base(checks);
    scene.write('work', 'done\n');
    expect(holds(await scene.claim(base, checks))).toBe(true);
    scene.write('Makefile', '');
    scene.write('test/x', '');
    expect(holds(await scene.claim(base, checks))).toBe(true);
  });
});

describe('a check that is excused', () => {
  const tests = {
    ...FILES,
    'a.test.mjs': "import { test } from 'node:test';\ntest('a', () => {});\ntest('b', () => { throw new Error(); });\n",
    'work.mjs': '',
    'c.test.mjs':
      "import { test } from 'node:test';\nimport * as work from './work.mjs';\ntest('c', () => work.stop?.());\n",
  };
  const checks = [{ ...NODE, isExcused: true as const }];

  test.each([
    ['may fail with the tests that failed before', (scene: Proving) => scene.write('work', 'done\n'), []],
    [
      'may not fail with one that passed',
      (scene: Proving) => scene.write('work.mjs', 'export const stop = () => { throw new Error(); };\n'),
      [{ is: 'tests', missing: [], skipped: [], failing: ['test › c'] }],
    ],
    [
      'may not lose a test',
      (scene: Proving) => scene.remove('c.test.mjs'),
      [{ is: 'tests', missing: ['test › c'], failing: [] }],
    ],
  ])('%s', async (_title, work, findings) => {
    const scene = provingScene(tests);
    const base = await scene.base([NODE]);
    work(scene);
    expect((await scene.claim(base, checks)).findings).toMatchObject(findings);
  });

  const ONCE =
    'tests that passed at the start did not (exit 1, 2 of 3 tests failed), and then did on the same files, in a clean checkout: it is flaky';

  test.each([
    { what: 'is flaky where one that passed fails once', fails: 1, is: ['flaky'], words: [ONCE] },
    { what: 'may do so with --accept-flaky', fails: 1, is: [], words: [], terms: { acceptFlaky: true } },
    {
      what: 'may not fail twice with one that passed',
      fails: 2,
      is: ['tests'],
      words: ['1 test fails that passed at the start: test › c'],
      terms: { acceptFlaky: true },
    },
  ])('$what', async ({ fails, is, words, terms = {} }) => {
    const scene = provingScene(tests);
    const base = await scene.base([NODE]);
    const runs = JSON.stringify(join(scene.folder, 'runs'));
    scene.write(
      'work.mjs',
      `import { appendFileSync, readFileSync } from 'node:fs';
export function stop() {
  appendFileSync(${runs}, '.');
  if (readFileSync(${runs}, 'utf8').length <= ${fails}) throw new Error('by chance');
}
`,
    );
    const proof = await scene.claim(base, checks, { terms });
    expect(kindsOf(proof)).toEqual(is);
    expect(proof.checks[0]?.isFlaky).toBe(fails === 1 ? true : undefined);
    expect(proof.findings.map((finding) => wordsOfFinding(finding, proof.at))).toEqual(words);
  });
});

describe('reports', () => {
  test('a test that is missing or skipped is named', async () => {
    const scene = provingScene({ ...TESTS, 'c.test.mjs': "import { test } from 'node:test';\ntest('c', () => {});\n" });
    const base = proved(await scene.base([NODE]));
    expect(base.checks[0]?.tests).toEqual({ passed: 3, failed: 0, skipped: 0 });
    scene.write('a.test.mjs', TESTS['a.test.mjs'].replace("test('a'", "test.skip('a'").replace(/test\('b'.*\n/, ''));
    const { findings } = await scene.claim(base, [NODE]);
    const changed = ['a.test.mjs'];
    expect(findings).toMatchObject([{ is: 'tests', missing: ['test › b'], skipped: ['test › a'], changed }]);
  });

  test('none, where there was one at the start, is a failure', async () => {
    const scene = provingScene({ ...TESTS, 'package.json': '{"scripts":{"test":"node --test"}}' });
    const check = asked('npm test');
    const base = await scene.base([check]);
    scene.write('package.json', '{"scripts":{"test":"true"}}');
    const { findings } = await scene.claim(base, [check]);
    expect(findings).toMatchObject([{ is: 'unreported', command: 'npm test', changed: ['package.json'] }]);
  });

  test('that no test was run may be the doing of a file that was changed; that one fails need not be', async () => {
    const files = { ...TESTS, 'work.mjs': '', 'b.test.mjs': "import './work.mjs';\n" };
    const [scene, check] = [provingScene(files), asked('node --test')];
    const base = await scene.base([check]);
    for (const path of ['a.test.mjs', 'b.test.mjs']) scene.remove(path);
    const gone = (await scene.claim(base, [check])).findings;
    expect(gone).toMatchObject([{ is: 'red', outcome: { how: 'no test was run' }, changed: expect.anything() }]);
    scene.write('b.test.mjs', files['b.test.mjs']);
    scene.write('work.mjs', 'throw new Error();\n');
    const [failed] = (await scene.claim(base, [check])).findings;
    expect(failed).toMatchObject({ is: 'red' });
    expect(failed).not.toHaveProperty('changed');
  });

  test('one that breaks off because the product ends the runner is a failure', async () => {
    const check = asked('true && /usr/bin/python3 -m pytest -q');
    const scene = provingScene({ 'one.py': 'one = 1\n', 'test_one.py': 'def test_one():\n    import one\n' });
    const base = await scene.base([check]);
    scene.write('one.py', 'import os\nos._exit(0)\n');
    const { checks, findings } = await scene.claim(base, [check]);
    expect(checks[0]?.outcome.is).toBe('passed');
    expect(findings).toMatchObject([{ is: 'unreported', command: check.command }]);
  });

  test('of a check that has its own are read as well, and go with it when the checks are in another order', async () => {
    const scene = provingScene(TESTS);
    const own = asked('tests of mine', {
      kind: 'tests',
      given: { command: 'cp tap out.tap', report: 'out.tap' },
    });
    scene.write('tap', 'TAP version 13\nok 1 - x\nok 2 - y\n1..2\n');
    const base = proved(await scene.base([own, NODE]));
    expect(base.checks.map(({ tests }) => tests?.passed)).toEqual([2, 2]);
    scene.write('work', 'done\n');
    expect(holds(await scene.claim(base, [NODE, own]))).toBe(true);
    scene.write('tap', 'TAP version 13\nok 1 - x\n1..1\n');
    expect((await scene.claim(base, [NODE, own])).findings).toMatchObject([
      { command: 'tests of mine', missing: ['y'] },
    ]);
  });

  test('are read where they are written, also outside of the checkout', async () => {
    const scene = provingScene({ ...FILES, tap: 'TAP version 13\nok 1 - x\nok 2 - y\n1..2\n' });
    const report = join(scene.folder, 'out.tap');
    const own = asked('tests of mine', { kind: 'tests', given: { command: `cp tap ${report}`, report } });
    const base = proved(await scene.base([own]));
    expect(base.checks[0]?.tests?.passed).toBe(2);
    scene.write('tap', 'TAP version 13\nok 1 - x\n1..1\n');
    expect((await scene.claim(base, [own])).findings).toMatchObject([{ is: 'tests', missing: ['y'] }]);
  });

  test('those of the start are found out again where their file is gone', async () => {
    const scene = provingScene(TESTS);
    const base = await scene.base([NODE]);
    rmSync(join(scene.loop, 'proof/base-tests.json'));
    scene.write('a.test.mjs', TESTS['a.test.mjs'].replace(/test\('b'.*\n/, ''));
    expect(kindsOf(await scene.claim(base, [NODE]))).toEqual(['tests']);
  });

  describe('of a file that the user frees', () => {
    const other = "import { test } from 'node:test';\nimport './work.mjs';\ntest('c', () => {});\n";
    const files = { ...TESTS, 'other.test.mjs': other, 'work.mjs': '' };
    const terms = { allowEdit: ['a.test.mjs'] };
    const fewer = TESTS['a.test.mjs'].replace(/test\('b'.*\n/, '');
    const more = `${TESTS['a.test.mjs']}test('d', () => {});\n`;
    /** Exits the test file that imports it, which then passes as a single test. */
    const breaking = (scene: Proving): void => scene.write('work.mjs', 'process.exit(0);\n');

    test('there may be fewer', async () => {
      const scene = provingScene(files);
      const base = await scene.base([NODE]);
      scene.write('a.test.mjs', fewer);
      expect(kindsOf(await scene.claim(base, [NODE]))).toEqual(['tests']);
      expect(holds(await scene.claim(base, [NODE], { terms }))).toBe(true);
      scene.remove('a.test.mjs');
      expect(holds(await scene.claim(base, [NODE], { terms }))).toBe(true);
    });

    test('also where there is no other one', async () => {
      const [scene, check] = [provingScene(TESTS), asked('node --test a.test.mjs')];
      const base = await scene.base([check]);
      scene.write('a.test.mjs', fewer);
      expect(holds(await scene.claim(base, [check], { terms }))).toBe(true);
    });

    test.each([fewer, more])('those of other files have to be there, whatever becomes of its own', async (content) => {
      const scene = provingScene(files);
      const base = await scene.base([NODE]);
      scene.write('a.test.mjs', content);
      breaking(scene);
      const { findings } = await scene.claim(base, [NODE], { terms });
      expect(findings).toMatchObject([{ is: 'tests', missing: ['test › c'] }]);
    });

    test('where it is not known which tests are its own, there may not be fewer of them', async () => {
      const [scene, check] = [provingScene(files), asked('node --test a.test.mjs other.test.mjs')];
      const base = await scene.base([check]);
      scene.write('a.test.mjs', TESTS['a.test.mjs'].replace("'b'", "'x'"));
      expect(holds(await scene.claim(base, [check], { terms }))).toBe(true);
      scene.write('a.test.mjs', fewer);
      expect(kindsOf(await scene.claim(base, [check], { terms }))).toEqual(['tests']);
    });
  });
});

test('a test that got another name counts: that of the start passes as well', async () => {
  const scene = provingScene(TESTS);
  const base = await scene.base([NODE]);
  scene.write('a.test.mjs', TESTS['a.test.mjs'].replace("'b'", "'other'"));
  expect(await scene.claim(base, [NODE])).toMatchObject({ pinned: { changed: ['a.test.mjs'] }, findings: [] });
});

test('a new test that keeps the others from being run is found out: those of the start run alone as well', async () => {
  const scene = provingScene({ ...FILES, 'check.mjs': "import './test/b.mjs';\n", 'test/b.mjs': '' });
  const check = asked('for file in test/*.mjs; do node $file || exit; done; grep -q done work');
  const base = await scene.base([check]);
  scene.write('test/a.mjs', "import { writeFileSync } from 'node:fs';\nwriteFileSync('work', 'done');\n");
  const { at, findings } = await scene.claim(base, [check]);
  expect(findings.map((finding) => wordsOfFinding(finding, at))).toEqual([
    'it fails with the tests from the start alone, without test/a.mjs (exit 1)',
  ]);
});

describe('pinned files', () => {
  const check = asked('sh test/check.sh');
  const files = { ...FILES, 'test/check.sh': 'grep -q done work\n' };

  test('that were changed are put back for a second run, and what fails then is the finding', async () => {
    const scene = provingScene(files);
    const base = await scene.base([check]);
    scene.write('test/check.sh', 'exit 0\n');
    const proof = await scene.claim(base, [check]);
    expect(proof.checks).toMatchObject([{ outcome: { is: 'passed' } }]);
    expect(proof.pinned).toMatchObject({ changed: ['test/check.sh'], checks: [{ outcome: { is: 'failed' } }] });
    expect(proof.findings).toMatchObject([{ is: 'pinned', changed: ['test/check.sh'], command: check.command }]);
    expectNothingLeft(scene);
  });

  test('that were changed for nothing do no harm', async () => {
    const scene = provingScene(files);
    const base = await scene.base([check]);
    scene.write('test/check.sh', 'grep done work\n');
    scene.write('work', 'done\n');
    expect(await scene.claim(base, [check])).toMatchObject({ pinned: { changed: ['test/check.sh'] }, findings: [] });
  });
});

describe('a check that depends on chance', () => {
  /** Fails in these runs of the claim; each run adds a line to the log. */
  const failsAt = ({ folder }: Proving, ...times: number[]) => {
    const log = join(folder, 'runs');
    const runs = `$(wc -l <${log})`;
    return asked(
      `grep -q begin work || { echo >>${log}; ${times.map((time) => `[ ${runs} != ${time} ]`).join(' && ')}; }`,
    );
  };

  test.each([
    { what: 'is flaky where it fails first', at: [1], is: ['flaky'] },
    { what: 'is red where it fails twice', at: [1, 2], is: ['red'] },
    { what: 'passes with --accept-flaky', at: [1], is: [], terms: { acceptFlaky: true } },
    {
      what: 'is flaky where it failed before, and does so once more',
      at: [4],
      is: ['flaky'],
      isSuspect: true as const,
    },
    { what: 'passes where it failed before, and not again', at: [5], is: [], isSuspect: true as const },
  ])('$what', async ({ at, is, terms = {}, isSuspect }) => {
    const scene = provingScene(FILES);
    const check = { ...failsAt(scene, ...at), ...(isSuspect === undefined ? {} : { isSuspect }) };
    const base = await scene.base([check]);
    scene.write('work', 'done\n');
    expect(kindsOf(await scene.claim(base, [check], { terms }))).toEqual(is);
  });
});

test('a checkout that an earlier supervisor of this loop left is removed, and no other', async () => {
  const scene = provingScene(FILES);
  const other = '20260102-030405-0000eeee-abcdef';
  mkdirSync(join(scene.place, `${scene.id}-abcdef/work`), { recursive: true });
  mkdirSync(join(scene.place, other));
  await scene.base([DONE]);
  expect(readdirSync(scene.place)).toEqual([other]);
});
