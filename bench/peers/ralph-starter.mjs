/** ralph-starter, used as its --help says, without the skills that it would download. At its limit it exits with 1. */
import { versionOf } from './installed.mjs';

const PROGRAM = 'ralph-starter';

export const ralphStarter = {
  name: PROGRAM,
  missing: () =>
    versionOf(PROGRAM) === null ? `no program \`${PROGRAM}\` on the PATH (npm install -g ${PROGRAM})` : null,
  version: () => versionOf(PROGRAM),
  prepare: () => undefined,
  argv: ({ project, iterations }) => [
    PROGRAM,
    'run',
    'x',
    '--agent',
    'claude-code',
    '--max-iterations',
    String(iterations),
    '--headless',
    '--no-auto-skills',
    '--output-dir',
    project,
  ],
  exitCode: 1,
};
