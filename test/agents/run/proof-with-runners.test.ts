/** `ralph run --prove` with the real jest and mocha, installed as the agents are. */
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { proofScene } from '../../support/proof/proof-scene.ts';
import { DONE } from '../../support/scene.ts';
import { installAgents } from '../scene.ts';

const TESTS = `const assert = require('node:assert');
const { greet } = require('../greet.js');
describe('greet', () => {
  it('greets by name', () => assert.equal(greet('Ann'), 'Hello, Ann'));
  it('greets a stranger', () => assert.equal(greet(), 'Hello, stranger'));
});
`;
const FIX = `echo "exports.greet = (name = 'stranger') => 'Hello, ' + name;" >greet.js`;

describe.each([
  ['jest', 'greet.test.js › greet greets a stranger'],
  ['mocha', 'greet greets a stranger'],
] as const)('%s', (runner, name) => {
  test('a skipped test is named, and honest work is accepted with the number of its tests', async () => {
    const [program = ''] = installAgents(runner);
    const modules = dirname(dirname(program));
    const scene = proofScene({
      check: 'npm test',
      files: {
        '.gitignore': 'node_modules\n.ralph/*.log\n',
        'package.json': JSON.stringify({ scripts: { test: runner } }),
        'greet.js': "exports.greet = (name) => 'Hello, ' + name;\n",
        'test/greet.test.js': TESTS,
      },
      settings: { proof: { setup: `ln -s '${modules}' node_modules` } },
      play: `if [ "$n" = 1 ]; then sed -i.old "s/it('greets a stranger'/it.skip('greets a stranger'/" test/greet.test.js; rm test/*.old
else git checkout -q test; ${FIX}; fi; ${DONE}`,
    });
    await scene.shell(`ln -s '${modules}' node_modules`);
    const { code, stderr } = await scene.prove('-m', '2');
    const [skipped, honest] = scene.proofs();
    expect(skipped?.findings).toMatchObject([{ is: 'tests', skipped: [name], changed: ['test/greet.test.js'] }]);
    expect(stderr).toContain('clean checkout before the first iteration');
    expect(stderr).toMatch(/npm test ✗ exit 1, 1 of 2 tests failed/);
    expect(honest?.findings).toEqual([]);
    expect(honest?.checks[0]?.tests).toEqual({ passed: 2, failed: 0, skipped: 0 });
    expect(code).toBe(0);
    scene.expectNoCheckouts();
  });
});
