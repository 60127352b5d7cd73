import { expect, test } from 'vitest';
import { faultsBySchema } from '../../../test/support/json-schema.ts';
import { receiptCheck, receiptPredicate, TREE } from '../../../test/support/proof/receipt.ts';
import { type ReceiptPredicate, receiptOf } from '../../core/proof/receipt.ts';
import { parseReceipt, receiptJsonSchema } from './receipt-schema.ts';

const written = (given: Partial<ReceiptPredicate> = {}): string =>
  JSON.stringify(receiptOf('shop', receiptPredicate(given)));
const parse = (text: string) => parseReceipt(text, 'receipt.json');

test('what is written is read again, and keeps to the shipped schema', () => {
  const setup = { command: 'npm ci', outcome: 'passed', how: 'exit 0', exitCode: 0, log: null } as const;
  const checks = [receiptCheck({ check: { kind: 'tests', given: { command: 'npm test', report: 'out.xml' } } })];
  const counted = [
    receiptCheck({ testsAtStart: null }),
    receiptCheck({ testsAtStart: { passed: 1, failed: 1, skipped: 0 } }),
  ];
  for (const given of [
    {},
    { setup, checks },
    { checks: counted },
    { base: null, terms: null, at: { commit: null, tree: TREE } },
  ]) {
    const text = written(given);
    expect(parse(text)).toEqual(JSON.parse(text));
    expect(faultsBySchema(JSON.parse(text), receiptJsonSchema())).toEqual([]);
  }
});

test('others may add to it', () => {
  const receipt = { ...receiptOf('shop', receiptPredicate()), more: 1 };
  expect(parse(JSON.stringify(receipt))).toMatchObject({ more: 1 });
  expect(faultsBySchema(receipt, receiptJsonSchema())).toEqual([]);
});

test.each<[string, Partial<ReceiptPredicate>]>([
  ['a commit that is an option of git', { at: { commit: '--upload-pack=x', tree: TREE } }],
  ['a folder above the checkout', { folder: 'a/../../b' }],
  ['a folder outside', { folder: '/etc' }],
  ['a check without a command', { checks: [receiptCheck({ command: '' })] }],
])('refused, by the schema as well: %s', (_what, given) => {
  expect(() => parse(written(given))).toThrow('receipt.json is not a receipt: ');
  expect(faultsBySchema(JSON.parse(written(given)), receiptJsonSchema())).not.toEqual([]);
});

test('folders with dots in their names are none of those', () => {
  expect(parse(written({ folder: 'packages/..a/b..' })).predicate.folder).toBe('packages/..a/b..');
});

test('refuses one whose subject is something else, and what is no receipt', () => {
  expect(() => parse(written().replace('"gitCommit":"cccc', '"gitCommit":"0000'))).toThrow(
    'its subject is not what its predicate was checked at',
  );
  expect(() => parse(written({ at: { commit: null, tree: TREE } }).replace(`"tree":"${TREE}"`, '"tree":null'))).toThrow(
    'names neither a commit nor a tree',
  );
  expect(() => parse('{}')).toThrow('receipt.json is not a receipt: _type: ');
  expect(() => parse('no JSON')).toThrow('receipt.json is not a receipt: it is not JSON');
});
