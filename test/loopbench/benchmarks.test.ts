/** No benchmark has died since the last measurement: each runs once, small. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram } from '../support/programs/program.ts';
import { ROOT } from '../support/scene.ts';

const CASES = readdirSync(join(ROOT, 'bench/cases')).map((file) => file.replace(/\.mjs$/, ''));
const TAKES_AT_MOST_MS = 400_000;

test(
  'every benchmark runs to its end',
  async () => {
    const bench = startProgram([process.execPath, 'bench/run.mjs', '--once'], { cwd: ROOT });
    const { code, stdout, stderr } = await bench.exited;
    expect({ code, stderr, died: stdout.match(/^.*FAILED\n.*\n/gm) }).toEqual({ code: 0, stderr: '', died: null });
    const ran = stdout.match(/^[\w-]+(?=: [1-9]\d* figures$)/gm) ?? [];
    expect(ran.sort()).toEqual(CASES.sort());
  },
  TAKES_AT_MOST_MS,
);
