/** A receipt that is run again outside any loop, with a real repository and real checks. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Proving, provingScene } from '../../test/support/proof/proving.ts';
import { receiptCheck, receiptPredicate } from '../../test/support/proof/receipt.ts';
import { readEnvironment } from '../config/environment.ts';
import { RECEIPT_TYPE, type ReceiptPredicate, STATEMENT_TYPE } from '../core/proof/receipt.ts';
import { NO_SANDBOX } from '../runners/sandbox/request.ts';
import { openVerifier, type Verifier } from './verify.ts';

const TERMS = { setup: null, include: [] };
let scene: Proving;

beforeEach(() => {
  scene = provingScene({ work: 'done\n', 'deep/here': '' });
});

/** For the current commit, unless another is given. */
function predicateOf(command: string, given: Partial<ReceiptPredicate> = {}): ReceiptPredicate {
  const at = { commit: scene.git('rev-parse', 'HEAD').trim(), tree: scene.git('rev-parse', 'HEAD^{tree}').trim() };
  return receiptPredicate({ at, base: null, checks: [receiptCheck({ command })], ...given });
}

async function open(predicate: ReceiptPredicate, cwd = scene.work): Promise<Verifier> {
  const receipt = { _type: STATEMENT_TYPE, subject: [], predicateType: RECEIPT_TYPE, predicate } as const;
  const environment = readEnvironment({
    ...scene.env,
    XDG_STATE_HOME: join(scene.folder, 'state'),
    RALPH_CONTAINMENT: 'group',
  });
  const { signal } = new AbortController();
  const verifier = await openVerifier(receipt, { cwd, environment, self: ['ralph'], sandbox: NO_SANDBOX, signal });
  onTestFinished(() => rmSync(dirname(verifier.logs), { recursive: true, force: true }));
  return verifier;
}

describe('the checks of a receipt', () => {
  test('run on its commit in a clean checkout, of which nothing is left', async () => {
    const predicate = predicateOf('grep -q done work && test ! -e later');
    scene.write('work', 'broken since\n');
    scene.write('later');
    const verifier = await open(predicate);
    const { at, checks, pinned } = await verifier.run(TERMS);
    expect(at).toMatchObject(predicate.at);
    expect(checks).toMatchObject([{ outcome: { is: 'passed' } }]);
    expect(pinned).toBeNull();
    expect(verifier.noSandbox).toBe('--no-sandbox');
    expect(readdirSync(scene.place)).toEqual([]);
    expect(existsSync(join(scene.work, '.ralph'))).toBe(false);
  });

  test('run in the folder that the receipt names, after the setup that was given', async () => {
    const verifier = await open(predicateOf('test -e here && test -e made', { folder: 'deep' }));
    const { setup, checks } = await verifier.run({ ...TERMS, setup: ': >made' });
    expect(setup).toMatchObject({ command: ': >made', outcome: { is: 'passed' } });
    expect(checks).toMatchObject([{ outcome: { is: 'passed' } }]);
  });

  test('leave their output to read, until it is removed', async () => {
    const verifier = await open(predicateOf('echo not yet; exit 3'));
    const { checks } = await verifier.run(TERMS);
    expect(checks).toMatchObject([{ outcome: { is: 'failed', code: 3 } }]);
    verifier.close(true);
    expect(readdirSync(dirname(verifier.logs))).toEqual(['.ralph']);
    const printed = readdirSync(verifier.logs).map((name) => readFileSync(join(verifier.logs, name), 'utf8'));
    expect(printed).toContain('not yet\n');
    verifier.close(false);
    expect(existsSync(dirname(verifier.logs))).toBe(false);
  });

  test('that were never run leave nothing, even if their output was to be kept', async () => {
    const verifier = await open(predicateOf('true'));
    expect(existsSync(dirname(verifier.logs))).toBe(true);
    verifier.close(true);
    expect(existsSync(dirname(verifier.logs))).toBe(false);
  });
});

describe('a receipt is refused', () => {
  test('outside of a repository', async () => {
    await expect(open(predicateOf('true'), scene.folder)).rejects.toThrow(`${scene.folder} is not in a git repository`);
  });

  test('in a repository that has no such commit', async () => {
    const at = { commit: 'c'.repeat(40), tree: 'd'.repeat(40) };
    await expect(open(predicateOf('true', { at }))).rejects.toThrow('of the receipt is not in this repository');
  });

  test('if one of its checks would run something else than it shows', async () => {
    const check = { kind: 'command', given: { command: 'false' } };
    const predicate = predicateOf('true', { checks: [receiptCheck({ command: 'true', check })] });
    await expect(open(predicate)).rejects.toThrow('it would run something else');
  });
});
