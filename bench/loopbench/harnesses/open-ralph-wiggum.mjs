/**
 * Th0rgal/open-ralph-wiggum 1.3, used as its --help says. It runs no checks of its own, so they are part of the prompt.
 * The time after which it ends a silent agent is a limit of its own, too.
 */
import { spawnSync } from 'node:child_process';

const PROGRAM = 'ralph';

const start = (_scene, { prompt, promptFile, checks, iterations, hangAfterMs, longestRunMs, agent }) => [
  'env',
  `RALPH_CLAUDE_BINARY=${agent}`,
  PROGRAM,
  ...(promptFile === null ? [[prompt, ...checks].join('\n')] : ['--prompt-file', promptFile]),
  '--agent',
  'claude-code',
  '--max-iterations',
  String(iterations),
  '--completion-promise',
  'DONE',
  '--abort-promise',
  'BLOCKED',
  '--no-questions',
  '--last-activity-timeout',
  `${Math.ceil((hangAfterMs ?? longestRunMs) / 1000)}s`,
];

export const openRalphWiggum = {
  name: 'open-ralph-wiggum',
  missing: () => (isThere() ? null : 'no program `ralph` on the PATH calls itself "Ralph Wiggum Loop"'),
  claim: '<promise>DONE</promise>',
  blocked: '<promise>BLOCKED</promise>',
  prepare: () => undefined,
  start,
  resume: start,
  /** Its exit code is 0 at the limit, too. */
  endingOf: (code, output) => {
    if (code === 0) return /Max iterations \(\d+\) reached/.test(output) ? 'iterations' : 'done';
    return /abort/i.test(output) ? 'blocked' : 'failed';
  },
  iterationsOf: (starts) => starts.length,
  cgroupMarks: () => [],
};

function isThere() {
  const { stdout } = spawnSync(PROGRAM, ['--help'], { encoding: 'utf8', timeout: 10_000 });
  return (stdout ?? '').includes('Ralph Wiggum Loop');
}
