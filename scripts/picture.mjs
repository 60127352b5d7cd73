/**
 * `npm run picture`: the picture of README.md. Plays the first act of the demo in a real terminal, keeps what the screen
 * showed (run.ansi) and draws it (run.svg). A recording that differs in nothing but times and names is left as it is.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { masked, recordRun } from './picture/record.mjs';
import { ensureBuilt, ensureInstalled, readOrNull, root, SetupError } from './setup.mjs';

const [folder = join(root, 'docs/images')] = process.argv.slice(2);
const [recording, picture] = ['run.ansi', 'run.svg'].map((name) => join(folder, name));

try {
  ensureInstalled();
  await ensureBuilt();
  // Only now: it needs a package.
  const { terminalSvg } = await import('./picture/terminal-svg.mjs');
  const recorded = await recordRun();
  const before = readOrNull(recording);
  const isSame = before !== null && masked(before) === masked(recorded);
  const kept = isSame ? before : recorded;
  mkdirSync(folder, { recursive: true });
  writeFileSync(recording, kept);
  writeFileSync(picture, terminalSvg(kept));
  console.log(`${relative(process.cwd(), picture)}: ${isSame ? 'the run looks as before' : 'recorded'}`);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
