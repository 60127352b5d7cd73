/** ralphy-cli, as its --help says: every task of a list is one run of the agent. Tests, linters and commits are off. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { versionOf } from './installed.mjs';

const LIST = 'tasks.yaml';

export const ralphyCli = {
  name: 'ralphy-cli',
  missing: () => (versionOf('ralphy') === null ? 'no program `ralphy` on the PATH (npm install -g ralphy-cli)' : null),
  version: () => versionOf('ralphy'),
  prepare(project, { iterations }) {
    const tasks = Array.from(
      { length: iterations + 1 },
      (_, at) => `  - title: Task ${at + 1}\n    completed: false\n`,
    );
    writeFileSync(join(project, LIST), `tasks:\n${tasks.join('')}`);
  },
  argv: ({ iterations }) => [
    'ralphy',
    '--yaml',
    LIST,
    '--max-iterations',
    String(iterations),
    '--fast',
    '--no-commit',
    '--claude',
  ],
  exitCode: 0,
};
