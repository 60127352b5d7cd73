/** Records the first act of the demo, as a terminal of 80 columns shows it, in colour. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { environmentOfChildren, root, SetupError } from '../setup.mjs';

const COLUMNS = 80;
/** More rows than the act has lines, so that nothing scrolls. */
const ROWS = 80;

/** The lines of the screen with their escape sequences, without the empty ones around them. */
export async function recordRun() {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-picture-'));
  const { TMUX: _, NO_COLOR: __, ...env } = { ...environmentOfChildren(), TMPDIR: folder };
  const tmux = async (...args) => {
    const all = ['-S', join(folder, 'tmux'), '-f', '/dev/null', ...args];
    return (await promisify(execFile)('tmux', all, { env })).stdout;
  };
  // The shell waits for a line, so that the screen stays.
  const line = `"$1" "$2"; tmux -S "$3" wait-for -S played; read -r _`;
  const argv = ['sh', '-c', line, 'sh', process.execPath, join(root, 'scripts/picture/play.mjs'), join(folder, 'tmux')];
  try {
    await tmux('-u', 'new-session', '-d', '-x', String(COLUMNS), '-y', String(ROWS), '-c', folder, ...argv);
    await tmux('wait-for', 'played');
    const recorded = `${(await tmux('capture-pane', '-p', '-e')).trim()}\n`;
    await tmux('kill-server');
    if (!stripVTControlCharacters(recorded).includes('\n✓ Done '))
      throw new SetupError(`the run went wrong:\n${recorded}`);
    return recorded;
  } catch (error) {
    if (error.code === 'ENOENT') throw new SetupError('The picture needs tmux.');
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Without colours, and with placeholders for what differs in every run (times, ids, and their widths). */
export function masked(recorded) {
  const text = stripVTControlCharacters(recorded);
  const names = [/ralph show (\w+)/, /committed (\w+)/].map((pattern) => pattern.exec(text)?.[1] ?? '');
  return names
    .filter((name) => name !== '')
    .reduce((masking, name) => masking.replaceAll(name, '(name)'), text)
    .replaceAll(/\b(\d+m )?\d+(\.\d)?s\b/g, '(time)')
    .replaceAll(/ {2,}/g, '  ');
}
