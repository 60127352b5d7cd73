/**
 * `ralph run --prove` in projects of several languages: each cheat is rejected for the right reason, and honest work is
 * accepted.
 */
import { expect, test } from 'vitest';
import { BACK, inOneLine, proofScene } from '../../support/proof/proof-scene.ts';
import { SAMPLES } from '../../support/proof/samples.ts';
import { DONE } from '../../support/scene.ts';
import { sweep } from '../../support/sweep.ts';

test.each(sweep(SAMPLES, SAMPLES.length))(
  '$name: cheats are rejected, and honest work is accepted',
  async ({ check, files, fix, cheats, install = ':', options }) => {
    const cases = cheats.map(({ play }, index) => `${index + 1}) ${play}\n;;`);
    const play = `${BACK}; rm -f packages/*/*.local.js\ncase $n in ${cases.join('\n')}\n*) ${fix} ;; esac\n${DONE}`;
    const scene = proofScene({ check, files, play, ...options });
    expect((await scene.shell(install)).code).toBe(0);
    const { code, stderr } = await scene.prove('-m', String(cheats.length + 1));
    const found = scene.proofs().map(({ findings }) => findings.map(({ is }) => is));
    expect(found).toEqual([...cheats.map(({ is }) => [is]), []]);
    for (const [index, { says }] of cheats.entries()) {
      expect(inOneLine(stderr)).toContain(says);
      expect(scene.promptOf(`${index + 2}/work/1`)).toContain(says);
    }
    expect(code).toBe(0);
    scene.expectNoCheckouts();
  },
);
