/** `ralph receipt`: what was checked when a loop was done, in every format, and when a loop has no receipt. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { faultsBySchema } from '../../support/json-schema.ts';
import { FIX } from '../../support/proof/proof-scene.ts';
import { receiptScene } from '../../support/proof/receipt-scene.ts';
import { DONE, makeScene, ROOT } from '../../support/scene.ts';

const KEY = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';

describe('the receipt of a loop that proved its work', () => {
  test('says the same as text, JSON, Markdown and trailer', async () => {
    const scene = receiptScene();
    const { stderr } = await scene.ralph(['run', '-p', `fix ${KEY} it`, '--prove']).exited;
    expect(stderr).toMatch(/ralph receipt \w{4} +what was proved/);
    const head = scene.git('rev-parse', 'HEAD').trim();

    const { stdout: text } = await scene.shell('ralph receipt');
    expect(text).toContain(`✓ Proved in a clean checkout of ${head.slice(0, 7)}\n`);
    expect(text).toContain('  check    node --test: exit 0, 2 tests; red before the work\n');
    expect(text).toContain('  pinned   3 files, none changed\n');

    const said = await scene.shell('ralph receipt -o ../receipt.json');
    expect(said.stdout).toContain('Receipt written to ../receipt.json');
    // The work is committed, so there is no warning.
    expect((await scene.shell('ralph receipt -o receipt.json; rm receipt.json')).stdout).not.toContain('! ');
    const receipt = scene.receipt();
    const schema = JSON.parse(readFileSync(join(ROOT, 'dist/receipt.schema.json'), 'utf8')) as object;
    expect(faultsBySchema(receipt, schema)).toEqual([]);
    expect(receipt.subject).toEqual([{ name: 'work', digest: { gitCommit: head } }]);
    const tests = scene.git('rev-parse', 'HEAD:test/greet.test.js').trim();
    expect(receipt.predicate).toMatchObject({
      isProved: true,
      criteria: [{ id: null, text: expect.any(String), acceptanceCriteria: [], checks: ['node --test'] }],
      checks: [
        {
          command: 'node --test',
          exitCode: 0,
          atStart: 'failed',
          testsAtStart: { passed: 1, failed: 1, skipped: 0 },
          tests: { passed: 2, failed: 0, skipped: 0 },
        },
      ],
      base: { commit: scene.git('rev-parse', 'HEAD^').trim() },
      pins: { files: { 'test/greet.test.js': tests } },
    });
    expect(JSON.stringify(receipt)).not.toContain(KEY);

    const { stdout: markdown } = await scene.shell('ralph receipt --format markdown');
    expect(markdown).toMatch(/\| node --test \| exit 0, 2 tests \| red \| `sha256:[0-9a-f]{12}` \|/);

    const digest = createHash('sha256').update(scene.read('receipt.json')).digest('hex');
    const line = `printf 'A commit\\n\\n%s\\n' "$(ralph receipt --format trailer)" | git interpret-trailers --parse`;
    const { stdout: trailer } = await scene.shell(line);
    expect(trailer).toBe(`Ralph-Proof: ${head} checks=1 tests=2 receipt=sha256:${digest}\n`);
  });

  test('names the tree if nothing was committed, and escapes control characters in file names', async () => {
    const play = `${FIX}; touch "$(printf 'more\\033[2J.mk')"; ${DONE}`;
    const scene = receiptScene({ play, settings: { scm: { command: 'git', tasks: [] } } });
    await scene.prove();
    for (const format of ['text', 'markdown', 'json']) {
      const { stdout } = await scene.shell(`ralph receipt --format ${format}`);
      expect(stdout).toContain('more');
      expect(stdout).not.toContain('\u001b');
    }
    await scene.shell('ralph receipt -o ../receipt.json');
    scene.git('add', '--all');
    const tree = scene.git('write-tree').trim();
    expect(scene.receipt().subject).toEqual([{ name: 'work', digest: { gitTree: tree } }]);
  });
});

describe('the receipt of files that are not committed yet', () => {
  const WARNING = '! Commit the work first, then ';

  test('says that it must be committed separately, and can then be verified', async () => {
    const scene = receiptScene({ settings: { scm: { command: 'git', tasks: [] } } });
    await scene.prove();
    const { stdout } = await scene.shell('ralph receipt -o receipt.json');
    expect(stdout).toContain(`Receipt written to receipt.json\n${WARNING}receipt.json in a separate commit\n`);
    await scene.shell('git add --all; git commit -qm both');
    expect(await scene.shell('ralph verify --yes --no-sandbox receipt.json')).toMatchObject({ code: 2 });
    await scene.shell('git rm -q --cached receipt.json; git commit -q --amend -m work');
    await scene.shell('git add receipt.json; git commit -qm receipt');
    expect(await scene.shell('ralph verify --yes --no-sandbox receipt.json')).toMatchObject({ code: 0 });
  });

  test.each([
    ['git ignores it', 'ralph receipt --format json -o receipt.local'],
    ['it is somewhere else', 'ralph receipt -o ../receipt.json'],
    ['they are committed by then', 'git add --all; git commit -qm work; ralph receipt -o receipt.json'],
  ])('does not warn if %s', async (_where, line) => {
    const scene = receiptScene({ settings: { scm: { command: 'git', tasks: [] } } });
    await scene.prove();
    const { stdout } = await scene.shell(line);
    expect(stdout).toContain('Receipt written to ');
    expect(stdout).not.toContain(WARNING);
  });
});

test('the receipt of a loop without a proof says that it was only checked', async () => {
  const scene = receiptScene();
  await scene.run();
  const { code, stdout } = await scene.shell('ralph receipt');
  expect(code).toBe(0);
  expect(stdout).toContain("! Checked in the agent's work tree, not proved (");
  expect(stdout).toContain('  check    node --test: exit 0\n');
  expect((await scene.shell('ralph receipt --format trailer')).stdout).toMatch(
    /^Ralph-Checked: [0-9a-f]{40} checks=1 receipt=/,
  );
});

describe('there is no receipt', () => {
  test('of a loop that is not done', async () => {
    const scene = makeScene({ play: 'echo working' });
    await scene.run('-m', '1');
    const unnamed = await scene.shell('ralph receipt');
    expect(unnamed).toMatchObject({ code: 2, stdout: '' });
    expect(unnamed.stderr).toContain('there is no loop that is done in ');
    const named = await scene.shell(`ralph receipt ${scene.loops()[0] ?? ''}`);
    expect(named.code).toBe(2);
    expect(named.stderr).toMatch(/loop \w{4} is not done \(.*\): it has no receipt/);
    expect(named.stderr).toMatch(/ralph show \w{4}/);
  });

  test('for a signature without a JSON file, a missing key, or an unknown format', async () => {
    const scene = makeScene({ play: DONE });
    await scene.run();
    for (const [flags, message] of [
      ['--sign key', '--sign needs a file of JSON'],
      ['--sign key -o r.md', '--sign needs a file of JSON'],
      ['--sign key -o r.json', 'the receipt was not signed with key: '],
      ['-o r', 'r does not say which format to use'],
    ] as const) {
      const { code, stderr } = await scene.shell(`ralph receipt ${flags}`);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
      expect((await scene.shell('ls r r.md r.json')).stdout).toBe('');
    }
  });
});
