/** The sources keep to the rules of ARCHITECTURE.md on imports and on globals. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { violations } from './edges.ts';
import { scan } from './scan.ts';

const root = join(import.meta.dirname, '../..');

test('every import and every use of a global in src/ keeps to ARCHITECTURE.md', () => {
  const scans = sources().map((path) => scan(path, readFileSync(join(root, path), 'utf8')));
  expect(scans.length).toBeGreaterThan(10);
  expect(violations(scans)).toEqual([]);
});

test('ARCHITECTURE.md has a row for every folder of src/, and no other', () => {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const told = [...page.matchAll(/^\| `src\/([a-z]+)\/` \|/gm)].map(([, folder]) => folder);
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(new Set(told)).toEqual(new Set(folders.map(({ name }) => name)));
});

test.each<[refused: string, path: string, source: string]>([
  ['engine is above core', 'src/core/a.ts', `import { x } from '../engine/x.ts';`],
  ['the core is pure and imports only itself', 'src/core/a.ts', `import { readFileSync } from 'node:fs';`],
  ['the core is pure and imports only itself', 'src/core/claims/a.ts', `import * as z from 'zod';`],
  ['state is above process', 'src/process/a.ts', `import type { X } from '../state/x.ts';`],
  ['state is above stream', 'src/stream/a.ts', `type X = import('../state/x.ts').X;`],
  ['agents is above state', 'src/state/a.ts', `export * from '../agents/x.ts';`],
  ['agents and scm are kept apart', 'src/agents/a.ts', `const x = await import('../scm/x.ts');`],
  ['engine is above checks', 'src/checks/a.ts', `export { x } from '../engine/x.ts';`],
  ['loops/run is above engine', 'src/engine/a.ts', `import '../loops/run/x.ts';`],
  ['loops/run and loops/swarm are kept apart', 'src/loops/run/a.ts', `import { x } from '../swarm/x.ts';`],
  ['views is above loops/run', 'src/loops/run/a.ts', `import { x } from '../../views/x.ts';`],
  ['cli is above views', 'src/views/a.ts', `import { x } from '../cli/x.ts';`],
  ['fleet is above loops/run', 'src/loops/run/a.ts', `const x = require('../../fleet/x.ts');`],
  ['cli is above fleet', 'src/fleet/a.ts', `import { x } from '../cli/x.ts';`],
  ['notify is above engine', 'src/engine/a.ts', `import { x } from '../notify/x.ts';`],
  ['cli is above notify', 'src/notify/a.ts', `import { x } from '../cli/x.ts';`],
  ['the library may not show cli', 'src/index.ts', `export { main } from './cli/main.ts';`],
  ['the library is for others', 'src/cli/a.ts', `import { x } from '../index.ts';`],
  ['it is outside of src/', 'src/cli/a.ts', `import { x } from '../../test/x.ts';`],
  ['is in no folder of ARCHITECTURE.md', 'src/utils/a.ts', ''],
  ['is in no folder of ARCHITECTURE.md', 'src/loops/a.ts', ''],
  ['only cli/main.ts ends the process', 'src/cli/a.ts', `process.exit(1);`],
  ['only cli/main.ts ends the process', 'src/engine/a.ts', `import { exit } from 'node:process';`],
  ['the environment is read in config/', 'src/engine/a.ts', `const home = process.env.HOME;`],
  ['the environment is read in config/', 'src/engine/a.ts', `const home = process['env'].HOME;`],
  ['the environment is read in config/', 'src/engine/a.ts', `const { env } = process;`],
  ['the environment is read in config/', 'src/engine/a.ts', `globalThis.process.env;`],
  ['the environment is read in config/', 'src/engine/a.ts', `(process as NodeJS.Process).env;`],
  ['a member of process that is not named', 'src/engine/a.ts', `process[name];`],
  ['a member of process that is not named', 'src/engine/a.ts', `const alias = process;`],
  ['the core is pure', 'src/core/a.ts', `const now = Date.now();`],
  ['the core is pure', 'src/core/a.ts', `const now = new Date();`],
  ['the core is pure', 'src/core/a.ts', `const chance = Math.random();`],
  ['the core is pure', 'src/core/a.ts', `process.stdout.write('');`],
  ['the core is pure', 'src/core/a.ts', `setTimeout(() => {}, 1);`],
  ['the guard is pure', 'src/guard/a.ts', `const now = Date.now();`],
  ['the guard is pure and imports only itself and unbash', 'src/guard/a.ts', `import { spawn } from 'node:fs';`],
  ['guard and agents are kept apart', 'src/guard/a.ts', `import { x } from '../agents/x.ts';`],
])('refused: %s (%s: %s)', (refused, path, source) => {
  const found = violations([scan(path, source)]);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(refused);
});

test('two folders of the same layer may not import each other', () => {
  const one = scan('src/process/a.ts', `import '../stream/b.ts';`);
  const other = scan('src/stream/b.ts', `import '../process/a.ts';`);
  expect(violations([one])).toEqual([]);
  expect(violations([one, other])).toEqual(['process and stream import each other']);
});

test('everything that ARCHITECTURE.md allows is accepted, and comments and strings are ignored', () => {
  const allowed = [
    scan(
      'src/cli/main.ts',
      `import { version } from '../../package.json'; await import('../fleet/x.ts'); process.exit(0);`,
    ),
    scan('src/config/load.ts', `export const home = process.env.HOME;`),
    scan('src/hooks/stop.ts', `import { x } from '../loops/session/rules.ts'; process.env.X;`),
    scan('src/loops/run/open.ts', `import { x } from '../../engine/x.ts'; import { y } from '../../scm/y.ts';`),
    scan('src/core/b.ts', `const { now } = clock; const copy = now; export const at = copy.process.env;`),
    scan(
      'src/core/a.ts',
      `// Date.now() and process.env\nexport const text = "import x from 'node:fs'; process.exit()";`,
    ),
    scan('src/guard/a.ts', `import { parse } from 'unbash';`),
    scan('src/index.ts', `export { x } from './loops/run/x.ts'; export { y } from './engine/y.ts';`),
  ];
  expect(violations(allowed)).toEqual([]);
});

/** Without the tests beside them, which are not part of the program. */
function sources(): string[] {
  return readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}
