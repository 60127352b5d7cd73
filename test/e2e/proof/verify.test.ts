/** `ralph verify` runs the checks of a receipt again in another clone, and reports what was tampered with. */
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { ReceiptPredicate } from '../../../src/core/proof/receipt.ts';
import { IN_MEMORY, ON_DISK } from '../../support/folder.ts';
import { GREETER } from '../../support/proof/proof-scene.ts';
import { ofClone, type ReceiptScene, receiptScene, withChecks } from '../../support/proof/receipt-scene.ts';
import { DONE } from '../../support/scene.ts';
import { openTerminal } from '../../support/terminal/terminal.ts';

type Options = NonNullable<Parameters<typeof receiptScene>[0]>;

/** Most tests need the same project and receipt, so the proof runs once, and each test gets a copy of both. */
const kept = mkdtempSync(join(IN_MEMORY, 'ralph-receipt-'));
afterAll(() => rmSync(kept, { recursive: true }));
const MADE = ['work', 'receipt.json', 'receipt.json.sig', 'mine', 'mine.signers', 'other.signers'];
const copy = (from: string, to: string): void => {
  for (const name of MADE.filter((each) => existsSync(join(from, each)))) {
    rmSync(join(to, name), { recursive: true, force: true });
    cpSync(join(from, name), join(to, name), { recursive: true });
  }
};
let isKept: Promise<void> | null = null;

async function signed(options: Pick<Options, 'place'> = {}): Promise<ReceiptScene> {
  isKept ??= made().then(({ folder }) => copy(folder, kept));
  await isKept;
  const scene = receiptScene(options);
  copy(kept, scene.folder);
  scene.cloned();
  return scene;
}

async function proved(options: Pick<Options, 'place'> = {}): Promise<ReceiptScene> {
  const scene = await signed(options);
  rmSync(join(scene.folder, 'receipt.json.sig'));
  return scene;
}

async function made(options: Options = {}): Promise<ReceiptScene> {
  const scene = receiptScene(options);
  await scene.prove();
  await scene.shell(`for key in mine other; do ssh-keygen -q -t ed25519 -N '' -f ../$key -C ''; done
    echo "me@example.com $(cat ../mine.pub)" >../mine.signers; echo "you@example.com $(cat ../other.pub)" >../other.signers`);
  const { stdout } = await scene.shell('ralph receipt -o ../receipt.json --sign ../mine');
  expect(stdout).toContain('Signature written to ../receipt.json.sig');
  return scene;
}

test('a genuine receipt is reproduced in another clone, and leaves nothing there', async () => {
  const scene = await proved();
  const { code, stdout } = await scene.verify('../receipt.json');
  expect(stdout).toMatch(/In a clean checkout of \w{7}, without a sandbox \(--no-sandbox\):\n {2}node --test\n/);
  expect(stdout).toMatch(/^ {2}sha256 +[0-9a-f]{64}$/m);
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(stdout).toMatch(/^✓ files of \w{7} +tree \w{7}$/m);
  expect(stdout).toMatch(/^✓ node --test +exit 0, 2 tests$/m);
  expect(stdout).toMatch(/^✓ pinned files +none changed$/m);
  expect(code).toBe(0);
  expect(scene.inClone('status', '--porcelain')).toBe('');
  expect(scene.leftovers()).toEqual([]);
});

test('pinned files and settings that differ from the start are named', async () => {
  const scene = await proved();
  const { code, stdout } = await scene.verify(
    scene.tampered((predicate) => {
      const { files, settings } = predicate.pins;
      const others = { '.ralph/settings.json': '0'.repeat(64) };
      const pins = { files: { ...files, 'test/greet.test.js': '0'.repeat(40) }, settings: { ...settings, ...others } };
      return { ...predicate, pins };
    }),
    '--json',
  );
  const here = 'different: test/greet.test.js, .ralph/settings.json';
  expect(JSON.parse(stdout).rows).toContainEqual(expect.objectContaining({ what: 'pinned files at the start', here }));
  expect(code).toBe(1);
});

test('the JSON output has a row for each comparison, with the digests of both logs', async () => {
  const scene = await proved();
  const { stdout } = await scene.verify('../receipt.json', '--json');
  const [check] = scene.receipt().predicate.checks;
  const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(JSON.parse(stdout)).toMatchObject({
    isReproduced: true,
    signature: null,
    logs: null,
    rows: [
      { is: 'same' },
      { what: 'node --test', logs: { receipt: check?.log?.sha256, here: digest } },
      { is: 'same' },
    ],
  });
});

test('files of tests that only a test report identifies are pinned there, too', async () => {
  const tests = "from greeting import greet\n\ndef test_stranger():\n    assert greet() == 'Hello, stranger'\n";
  const scene = await made({
    check: '/usr/bin/python3 -m pytest -q',
    files: {
      '.gitignore': '__pycache__\n.pytest_cache\n',
      'greeting.py': "def greet(name=None):\n    return 'Hello, ' + str(name)\n",
      'pytest.ini': '[pytest]\npython_files = works_*.py\n',
      'src/works_greet.py': tests,
    },
    play: `sed -i "s/name=None/name='stranger'/" greeting.py
      printf "\\ndef test_more():\\n    assert greet('Ann') == 'Hello, Ann'\\n" >>src/works_greet.py
      echo check: >Makefile; git add Makefile; ${DONE}`,
  });
  scene.cloned();
  expect(Object.keys(scene.receipt().predicate.pins.files)).toContain('src/works_greet.py');
  const { code, stdout } = await scene.verify('../receipt.json');
  expect(stdout).toMatch(/^✓ pinned files +changed: Makefile, src\/works/m);
  expect(code).toBe(0);
});

describe('the result differs from the receipt', () => {
  test('if the receipt has more tests than the project', async () => {
    const scene = await proved();
    const file = scene.tampered(withChecks({ tests: { passed: 31, failed: 0, skipped: 0 } }));
    const { code, stdout } = await scene.verify(file);
    expect(stdout).toMatch(/^✗ node --test +receipt exit 0, 31 tests\n +here +exit 0, 2 tests$/m);
    expect(stdout).toContain('✗ 1 difference from the receipt.');
    expect(code).toBe(1);
  });

  test('if the commit has other files', async () => {
    const scene = await proved();
    const file = scene.tampered((predicate) => ({
      ...predicate,
      at: { ...predicate.at, tree: predicate.base?.tree ?? null },
    }));
    const { code, stdout } = await scene.verify(file);
    expect(stdout).toMatch(/^✗ files of \w{7} +receipt tree \w{7}\n +here +tree \w{7}$/m);
    expect(code).toBe(1);
  });

  test('if it names another commit, which does not pass; the logs are kept', async () => {
    const scene = await proved();
    scene.write('clone/greet.js', "export const greet = () => 'broken';\n");
    scene.inClone('commit', '--quiet', '-am', 'Break it');
    const { code, stdout } = await scene.verify(scene.tampered(ofClone(scene)));
    expect(stdout).toMatch(/^✗ node --test +receipt exit 0, 2 tests\n +here +exit 1, 2 of 2 tests failed$/m);
    expect(code).toBe(1);
    const [, logs = ''] = /^ {2}logs: (.+)$/m.exec(stdout) ?? [];
    expect(readdirSync(logs)).toContain('proof_verify_0_node_test.log');
    rmSync(join(logs, '..'), { recursive: true });
    expect(scene.leftovers()).toEqual([]);
  });

  test('if a test was weakened, because the check fails with the original test', async () => {
    const scene = await proved();
    scene.write('clone/greet.js', GREETER['greet.js'] ?? '');
    const tests = scene.read('clone/test/greet.test.js');
    scene.write('clone/test/greet.test.js', tests.replace("greet(), 'Hello, stranger'", "greet(), 'Hello, undefined'"));
    scene.inClone('commit', '--quiet', '-am', 'Cheat');
    const { code, stdout } = await scene.verify(scene.tampered(ofClone(scene)));
    expect(stdout).toMatch(/^✓ node --test +exit 0, 2 tests$/m);
    expect(stdout).toMatch(/^✗ pinned files +receipt none changed\n +here +changed: test\/greet.test.js$/m);
    expect(stdout).toMatch(/^✗ with pinned files: node --test +receipt exit 0\n +here +exit 1, 1 of 2 tests failed$/m);
    expect(code).toBe(1);
  });
});

describe('a signature', () => {
  test('of an allowed signer is valid, and the signer is shown, or only the key without --signers', async () => {
    const scene = await signed();
    const held = await scene.verify('../receipt.json', '--signers', '../mine.signers');
    expect(held.stdout).toMatch(/signature {2}by me@example\.com, ED25519 key SHA256:/);
    expect(held.code).toBe(0);
    const unknown = await scene.verify('../receipt.json');
    expect(unknown.stdout).toMatch(/signature {2}by ED25519 key SHA256:\S+\n {13}the owner of the key was not checked/);
    expect(unknown.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(unknown.code).toBe(0);
  });

  test.each([
    ['of another key', 'true', '../other.signers', '../other.signers does not allow the key that made it'],
    ['of another receipt', 'echo >>../receipt.json', '../mine.signers', 'incorrect signature'],
    ['that is not there', 'rm ../receipt.json.sig', '../mine.signers', 'there is no file ../receipt.json.sig'],
    [
      'made for something else',
      'rm ../receipt.json.sig; ssh-keygen -q -Y sign -n file -f ../mine ../receipt.json',
      '../mine.signers',
      'namespace does not match',
    ],
  ])('%s is not valid, and nothing is run', async (_what, line, signers, why) => {
    const scene = await signed();
    await scene.shell(line);
    const { code, stdout } = await scene.verify('../receipt.json', '--signers', signers);
    expect(stdout).toMatch(/^✗ The signature of \.\.\/receipt\.json is not valid: /);
    expect(stdout).toContain('Nothing was run.');
    expect(stdout).not.toContain('node --test');
    expect(stdout).toContain(why);
    expect(code).toBe(1);
    expect(scene.leftovers()).toEqual([]);
  });
});

describe('the commands of a receipt can be from anyone', () => {
  const TOUCH = 'touch "$SCENE/escaped"';

  test('so nothing runs before a person has seen them', async () => {
    const scene = await proved();
    scene.tampered(withChecks({ command: TOUCH }));
    const asked = scene.ralph(['verify', '../tampered.json'], scene.clone).exited;
    expect(await asked).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') });
    const terminal = openTerminal(scene, 'ralph verify ../tampered.json');
    await terminal.asks('Run this? (y/N):');
    expect(terminal.screen()).toContain(TOUCH);
    terminal.type('n');
    const { code, screen } = await terminal.ended();
    expect([code, screen]).toEqual([1, expect.stringContaining('Nothing was run.')]);
    expect(existsSync(join(scene.folder, 'escaped'))).toBe(false);
    expect(scene.leftovers()).toEqual([]);
  });

  test('so they run in a sandbox', async () => {
    const scene = await proved({ place: ON_DISK });
    const file = scene.tampered(withChecks({ command: TOUCH }));
    const { code, stdout } = await scene.ralph(['verify', '--yes', file], scene.clone).exited;
    expect(stdout).toContain("in the operating system's sandbox:");
    expect(code).toBe(1);
    expect(existsSync(join(scene.folder, 'escaped'))).toBe(false);
    // Without a sandbox, it would have worked.
    await scene.verify(file);
    expect(existsSync(join(scene.folder, 'escaped'))).toBe(true);
    const genuine = await scene.ralph(['verify', '--yes', '../receipt.json'], scene.clone).exited;
    expect(genuine).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ The checks pass here') });
  });
});

test('ignored files must be allowed with --include; exceptions that the loop had are shown', async () => {
  const scene = await proved();
  await scene.shell(`cd ../clone; echo .env >>.git/info/exclude; echo .env >.worktreeinclude; touch .env
    git add --all; git commit -qm include`);
  const asking = (predicate: ReceiptPredicate) =>
    withChecks({ command: 'ls .env', tests: null })(ofClone(scene)(predicate));
  const file = scene.tampered((predicate) => {
    const { terms } = predicate;
    const freer = { include: ['.env'], allowEdit: ['docs'], acceptFlaky: true };
    return { ...asking(predicate), terms: terms === null ? null : { ...terms, ...freer } };
  });
  const without = await scene.verify(file);
  expect(without.stdout).toContain(`
Its checks also used ignored files: .env (see --include).
The agent was allowed to change docs (--allow-edit).
A check that failed and then passed counted as passed (--accept-flaky).
`);
  expect(without.stdout).toMatch(/^. pinned files +\S.*, apart from what was freed: docs$/m);
  expect(without.stdout).toMatch(/^✗ ls \.env +receipt exit 0\n +here +exit 2$/m);
  expect(without.code).toBe(1);
  expect((await scene.verify(file, '--include', '.env')).stdout).toMatch(/^✓ ls \.env +exit 0$/m);
});

test('Ctrl-C terminates the checks, and leaves nothing behind', async () => {
  const scene = await proved();
  const waits = 'echo checking >>"$SCENE/starts.log"; sleep 1000';
  const file = scene.tampered(withChecks({ command: waits }));
  const verify = scene.ralph(['verify', '--yes', '--no-sandbox', file], scene.clone);
  await scene.logged('checking');
  process.kill(verify.pid, 'SIGINT');
  expect((await verify.exited).code).toBe(130);
  expect(scene.leftovers()).toEqual([]);
});

describe('an unusable receipt is refused, and nothing is run', () => {
  test.each<[string, (scene: ReceiptScene) => string, string]>([
    ['no file', () => '../none.json', 'there is no file ../none.json'],
    ['no receipt', () => 'greet.js', 'greet.js is not a receipt: '],
    [
      'a check that would remove a file of yours as its old report',
      (scene) =>
        scene.tampered(
          withChecks({
            check: { kind: 'tests', given: { command: 'node --test', report: join(scene.folder, 'receipt.json') } },
          }),
        ),
      'the receipt cannot be run: node --test: it names something outside of the checkout',
    ],
    ['no checks', (scene) => scene.tampered((predicate) => ({ ...predicate, checks: [] })), 'it has no checks'],
    [
      'a commit that is not there',
      (scene) => scene.tampered((predicate) => ({ ...predicate, at: { commit: '0'.repeat(40), tree: null } })),
      '0000000 of the receipt is not in this repository',
    ],
  ])('%s', async (_what, file, message) => {
    const scene = await proved();
    const { code, stderr } = await scene.verify(file(scene));
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(existsSync(join(scene.folder, 'receipt.json'))).toBe(true);
    expect(scene.leftovers()).toEqual([]);
  });
});

test('a receipt without a proof, of files that were committed later, can be verified, too', async () => {
  const scene = receiptScene({ settings: { scm: { command: 'git', tasks: [] } } });
  await scene.run();
  await scene.shell('ralph receipt -o ../receipt.json');
  scene.git('add', '--all');
  scene.git('commit', '--quiet', '--message=By hand');
  scene.cloned();
  const { code, stdout } = await scene.verify('../receipt.json', '--setup', 'touch ready');
  expect(stdout).toMatch(/says: checked in the agent's work tree, not proved \(the tree \w{7}\)/);
  expect(stdout).toMatch(/:\n {2}touch ready\n {2}node --test\n/);
  expect(stdout).toMatch(/^✓ node --test +exit 0/m);
  expect(code).toBe(0);
});
