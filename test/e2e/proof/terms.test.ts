/** `ralph run --prove`: flaky checks, the flags --pin and --allow-edit, and agents that repeat a rejected claim. */
import { describe, expect, test } from 'vitest';
import { FIX, GREETER, inOneLine, proofScene } from '../../support/proof/proof-scene.ts';
import { DONE, PROMPT } from '../../support/scene.ts';

const EDIT = 'sed -i "s/Hello, stranger/Hello, undefined/" test/greet.test.js';

/** A check that logs every run on the agent's work, where `verdict` is its result. */
const logged = (verdict: string): string => `[ ! -e made ] || { echo "$PWD" >>"$SCENE/starts.log"; ${verdict}; }`;
const inCheckout = (verdict: string): string => logged(`[ "$PWD" = "$SCENE/work" ] || ${verdict}`);

describe('a check that fails, and then passes on the same files', () => {
  const once = inCheckout('[ -e "$SCENE/again" ] || { touch "$SCENE/again"; echo too slow; false; }');

  test('is flaky, which does not count as passed', async () => {
    const scene = proofScene({ play: `echo $n >made; ${DONE}`, check: once });
    const { code, stderr } = await scene.prove('-m', '2');
    expect(inOneLine(stderr)).toContain(
      'it failed (exit 1) and then passed on the same files, in a clean checkout: it is flaky.',
    );
    // The failed run is shown above the other one, with its output.
    expect(stderr).toMatch(/\n✗ .* exit 1 .*\n {4}too slow\n {4}\.ralph\/proof_001_0_.*\.log\n✓ /);
    expect(scene.promptOf('2/work/1')).toContain('too slow');
    expect(scene.promptOf('2/work/1')).toContain('Find out what makes it depend on chance, order or time');
    expect(scene.proofs().map(({ findings }) => findings.map(({ is }) => is))).toEqual([['flaky'], []]);
    expect(code).toBe(0);
  });

  test('passes with --accept-flaky', async () => {
    const scene = proofScene({ play: `echo $n >made; ${DONE}`, check: once });
    const { code } = await scene.prove('-m', '1', '--accept-flaky');
    expect(scene.proofs()[0]?.checks[0]).toMatchObject({ isFlaky: true, outcome: { is: 'passed' } });
    expect(code).toBe(0);
  });

  test.each([
    { how: 'every time', verdict: 'true', says: '✓ proved in a clean checkout', ends: 0 },
    {
      how: 'until the third',
      verdict: '[ $(grep -c /.cache/ "$SCENE/starts.log") != 3 ]',
      says: 'it is flaky',
      ends: 1,
    },
  ])(
    'must pass several times if it was red in the work tree before, and does so $how',
    async ({ verdict, says, ends }) => {
      const inWork = '[ -e "$SCENE/seen" ] || { touch "$SCENE/seen"; false; }';
      const check = logged(`if [ "$PWD" = "$SCENE/work" ]; then ${inWork}; else ${verdict}; fi`);
      const scene = proofScene({ play: `echo made >made; ${DONE}`, check });
      const { code, stderr } = await scene.prove('-m', '2');
      expect(inOneLine(stderr)).toContain(says);
      expect(code).toBe(ends);
      expect(scene.starts().filter((line) => line.includes('/.cache/'))).toHaveLength(ends === 0 ? 4 : 3);
    },
  );
});

describe('pinned files', () => {
  test('three claims in a row that depend on a changed test end the loop as tampered', async () => {
    const scene = proofScene({ play: `${EDIT}; echo $n >made; ${DONE}` });
    const { code, stderr } = await scene.prove();
    expect(code).toBe(9);
    expect(scene.starts()).toHaveLength(3);
    expect(inOneLine(stderr)).toContain(
      '"node --test": test/greet.test.js was changed; with the version from the start it fails',
    );
    expect(inOneLine(stderr)).toContain('This happened 3 times in a row.');
  });

  test('two such claims, and one that fails for another reason, do not', async () => {
    const scene = proofScene({ play: `${EDIT}; echo $n >made; [ $n != 3 ] || ln -s /etc outside; ${DONE}` });
    const { code } = await scene.prove('-m', '3');
    expect(code).toBe(1);
  });

  test('three claims in a row with a skipped test end the loop, too, which names the file to allow', async () => {
    const skip = `sed -i "s/^test('greets a/test.skip('greets a/" test/greet.test.js`;
    const scene = proofScene({ play: `${skip}; echo $n >made; ${DONE}` });
    const { code, stderr } = await scene.prove();
    expect(code).toBe(9);
    expect(scene.starts()).toHaveLength(3);
    expect(inOneLine(stderr)).toContain(
      '1 test newly skipped: test › greets a stranger; changed since the start: test/greet.test.js. This happened 3 times in a row.',
    );
    expect(stderr).toContain('--allow-edit test/greet.test.js');
  });

  test('--pin pins more files, including new ones', async () => {
    const scene = proofScene({
      files: { 'golden/out.txt': 'right\n', 'out.txt': 'wrong\n' },
      check: 'cat golden/* | diff - out.txt',
      play: `case $n in 1) cp out.txt golden/out.txt ;; 2) git checkout -q golden; echo more >golden/z.txt
        cat golden/* >out.txt ;; *) rm golden/z.txt; echo right >out.txt ;; esac; ${DONE}`,
    });
    const { code } = await scene.prove('-m', '3', '--pin', 'golden');
    expect(code).toBe(0);
    expect(scene.proofs().map(({ pinned }) => pinned?.changed ?? null)).toEqual([
      ['golden/out.txt'],
      ['golden/z.txt'],
      null,
    ]);
  });

  test('--allow-edit allows changes of a path, including renamed tests', async () => {
    const renamed = `sed -i "s/greets by name/greets Ann/; s/Hello, stranger/Hello, undefined/" test/greet.test.js`;
    const scene = proofScene({ play: `${renamed}; ${DONE}` });
    const { code, stderr } = await scene.prove('-m', '1', '--allow-edit', 'test');
    expect(code).toBe(0);
    expect(stderr).not.toContain('as at the start');
  });

  test('a changed pinned file is accepted if the work also passes with the original', async () => {
    const scene = proofScene({ play: `${FIX}; echo '// checked' >>test/greet.test.js; ${DONE}` });
    const { code, stderr } = await scene.prove('-m', '1');
    expect(stderr).toContain('  again, with 1 file as at the start: test/greet.test.js\n');
    expect(code).toBe(0);
  });

  test('new tests and new scripts are allowed', async () => {
    const play = `${FIX}; cp test/greet.test.js test/more.test.js
      sed -i 's/"scripts": {/"scripts": { "start": "node greet.js",/' package.json; ${DONE}`;
    const scene = proofScene({ play });
    const { code, stderr } = await scene.prove('-m', '1');
    expect(stderr).toMatch(/✓ node --test {2}4 tests/);
    expect(stderr).toContain('  again, with the tests from the start alone:\n✓ node --test  2 tests');
    expect(code).toBe(0);
  });
});

describe('paths that match no file', () => {
  test('are named before the first iteration, and when the loop is resumed with another one', async () => {
    const scene = proofScene({ play: `${EDIT}; echo $n >made; ${DONE}` });
    const { code, stderr } = await scene.prove('--pin', 'goldn/*', '--allow-edit', 'tset', '--pin', 'greet.js');
    expect(code).toBe(9);
    expect(stderr).toContain(
      [
        '! --pin goldn/* matches no file',
        '    is it a typo? a file that is created there later is pinned',
        '! --allow-edit tset matches no file',
        '    is it a typo? it frees nothing',
        '',
      ].join('\n'),
    );
    const resumed = await scene.shell('ralph resume --allow-edit test/great.test.js');
    expect(resumed.stderr).toContain('Before it continues:\n! --allow-edit test/great.test.js matches no file\n');
    expect(resumed.stderr).not.toContain('goldn');
    expect(await scene.shell('ralph resume --allow-edit test/greet.test.js')).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('matches no file'),
    });
  });

  test('are refused if git cannot read them', async () => {
    const scene = proofScene({ play: DONE });
    const { code, stderr } = await scene.prove('--pin', '../golden');
    expect(code).toBe(2);
    expect(stderr).toContain('error: --pin ../golden: git cannot read that path\nhint: Name files of the project');
    expect(scene.starts()).toEqual([]);
  });
});

test.each([
  ['run', '-p', PROMPT],
  ['run', '-p', PROMPT, '--dry-run'],
])('flags of a proof are refused without --prove: ralph %s %s %s %s', async (...words) => {
  const scene = proofScene({ play: DONE });
  const { code, stderr } = await scene.ralph([...words, '--allow-edit', 'test']).exited;
  expect(stderr).toBe(
    'error: --allow-edit works only with a proof, and there is none\nhint: Add --prove, or leave out --allow-edit.\n',
  );
  expect(code).toBe(2);
  expect(scene.loops()).toEqual([]);
});

test('a test file without tests, which is identified by its path, is the same in every checkout', async () => {
  const files = { ...GREETER, 'test/plain.test.js': "import '../greet.js';\n" };
  const { code, stderr } = await proofScene({ files, play: `${FIX}; ${DONE}` }).prove('-m', '1');
  expect(stderr).toMatch(/✓ node --test {2}3 tests/);
  expect(code).toBe(0);
});

test('checks get no variables that change how programs run, and no programs of the work tree', async () => {
  const scene = proofScene({
    check:
      '[ "$PWD" = "$SCENE/work" ] || { [ "$(planted)" = "" ] && ! echo "$NODE_OPTIONS:$PYTHONPATH:" | grep -e no-warnings -e :/tmp:; }',
    files: { 'bin/planted': '#!/bin/sh\necho planted\n' },
    play: `echo made >made; ${DONE}`,
    env: { PYTHONPATH: '/tmp', NODE_OPTIONS: '--no-warnings' },
  });
  await scene.shell('chmod +x bin/planted');
  scene.env.PATH = `${scene.work}/bin:${scene.env.PATH}`;
  const { code } = await scene.prove('-m', '1');
  expect(code).toBe(0);
});
