/**
 * snarktank/ralph, used as its README says: ralph.sh is copied into the project, and CLAUDE.md beside it is the prompt.
 * It runs no checks of its own, so they are part of the prompt. SNARKTANK_RALPH names the folder of a clone.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const clone = process.env.SNARKTANK_RALPH ?? '';
const FOLDER = 'scripts/ralph';

const start = ({ env }, { iterations, agent }) => [
  'env',
  `PATH=${dirname(agent)}:${env.PATH}`,
  'bash',
  join(FOLDER, 'ralph.sh'),
  '--tool',
  'claude',
  String(iterations),
];

export const snarktankRalph = {
  name: 'snarktank/ralph',
  missing: () =>
    existsSync(join(clone, 'ralph.sh')) ? null : 'SNARKTANK_RALPH does not name a folder with its ralph.sh',
  claim: '<promise>COMPLETE</promise>',
  prepare({ work }, { prompt, checks }) {
    const folder = join(work, FOLDER);
    mkdirSync(folder, { recursive: true });
    copyFileSync(join(clone, 'ralph.sh'), join(folder, 'ralph.sh'));
    chmodSync(join(folder, 'ralph.sh'), 0o755);
    writeFileSync(join(folder, 'CLAUDE.md'), [prompt, ...checks, ''].join('\n'));
  },
  start,
  resume: start,
  endingOf: (code) => (code === 0 ? 'done' : 'iterations'),
  iterationsOf: (starts) => starts.length,
  cgroupMarks: () => [],
};
