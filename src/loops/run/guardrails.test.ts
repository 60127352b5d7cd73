import { expect, test } from 'vitest';
import { guardrailLog } from './guardrails.ts';

function log(command: string, iteration = 1): string {
  return guardrailLog(iteration, [command], 0);
}

test("the name is seed 001's: the iteration and the command's letters and digits", () => {
  expect(log('./mvnw clean install -T 2C')).toBe('.ralph/guardrail_001_mvnw_clean_install_T_2C.log');
  expect(log('make lint', 12)).toBe('.ralph/guardrail_012_make_lint.log');
  expect(log('make', 1234)).toBe('.ralph/guardrail_1234_make.log');
});

test('the command is cut at 50 characters', () => {
  expect(log('x'.repeat(60))).toBe(`.ralph/guardrail_001_${'x'.repeat(50)}.log`);
});

test('nothing in a command leads out of the folder', () => {
  expect(log('../../../etc/passwd; rm -rf /')).toBe('.ralph/guardrail_001_etc_passwd_rm_rf.log');
  expect(log('grep ü\n\0')).toBe('.ralph/guardrail_001_grep.log');
});

test('commands that look the same get different names, in their order', () => {
  const commands = ['make test', 'make-test', 'make lint', 'make: test'];
  const logs = commands.map((_, index) => guardrailLog(1, commands, index));
  expect(logs).toEqual(
    ['make_test', 'make_test_1', 'make_lint', 'make_test_2'].map((slug) => `.ralph/guardrail_001_${slug}.log`),
  );
});
