/**
 * `npm run picture`: the pictures of README.md. Plays the first act of the demo in a real terminal, and loops under
 * `ralph top`; saves what the screens showed (run.ansi, top.ansi) and draws it (run.svg, top.svg). A recording that
 * differs only in times and names stays unchanged.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { masked, recordRun } from './picture/record.mjs';
import { maskedTop, recordTop, TOP_COLUMNS } from './picture/record-top.mjs';
import { ensureBuilt, ensureInstalled, readOrNull, root, SetupError } from './setup.mjs';

const [folder = join(root, 'docs/images')] = process.argv.slice(2);

try {
  ensureInstalled();
  await ensureBuilt();
  // Imported only now, because it needs a package.
  const { terminalSvg } = await import('./picture/terminal-svg.mjs');
  mkdirSync(folder, { recursive: true });
  keep('run', await recordRun(), masked, terminalSvg);
  const top = { columns: TOP_COLUMNS, title: 'ralph top in a terminal: four loops, of which one needs you' };
  keep('top', await recordTop(), maskedTop, (recorded) => terminalSvg(recorded, top));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function keep(name, recorded, mask, draw) {
  const [recording, picture] = [`${name}.ansi`, `${name}.svg`].map((file) => join(folder, file));
  const before = readOrNull(recording);
  const isSame = before !== null && mask(before) === mask(recorded);
  const kept = isSame ? before : recorded;
  writeFileSync(recording, kept);
  writeFileSync(picture, draw(kept));
  console.log(`${relative(process.cwd(), picture)}: ${isSame ? 'it looks as before' : 'recorded'}`);
}
