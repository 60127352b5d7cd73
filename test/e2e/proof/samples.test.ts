/**
 * `ralph run --prove` in projects of several languages: three ways around the work are rejected, each for what it is, and the
 * work itself is accepted.
 */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { BACK, inOneLine, proofScene } from '../../support/proof/proof-scene.ts';
import { SAMPLES } from '../../support/proof/samples.ts';
import { DONE } from '../../support/scene.ts';

/** Else each of them compiles the library of Go first. */
const goCache = (): string => execFileSync('go', ['env', 'GOCACHE'], { encoding: 'utf8' }).trim();

test.each(SAMPLES)('$name: three cheats and an honest end', async ({ name, check, files, fix, cheats }) => {
  const cases = cheats.map(({ play }, index) => `${index + 1}) ${play}\n;;`);
  const scene = proofScene({
    check,
    files,
    play: `${BACK}; rm -rf packages/*/*.local.js
      case $n in ${cases.join('\n')}\n*) ${fix} ;; esac\n${DONE}`,
    ...(name === 'Go' ? { env: { GOCACHE: goCache() } } : {}),
  });
  if (name === 'a monorepo') expect((await scene.shell('npm install --silent --no-package-lock')).code).toBe(0);
  const { code, stderr } = await scene.prove('-m', String(cheats.length + 1));
  const found = scene.proofs().map(({ findings }) => findings.map(({ is }) => is));
  expect(found, stderr).toEqual([...cheats.map(({ is }) => [is]), []]);
  for (const [index, { says }] of cheats.entries()) {
    expect(inOneLine(stderr)).toContain(says);
    expect(scene.promptOf(`${index + 2}/work/1`)).toContain(says);
  }
  expect(code).toBe(0);
  scene.expectNoCheckouts();
});
