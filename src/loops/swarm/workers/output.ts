/** What a worker has printed: its screen while it runs in a window, the file that kept everything afterwards. */
import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { logIsWhole, serverIsAlive } from '../../../tmux/window.ts';
import { logPath, windowFolder } from './home.ts';
import { isWorkerAlive, paneOf, windowOf } from './life.ts';
import type { WorkerRecord } from './record.ts';
import type { Swarm } from './swarm.ts';

/** Null when nothing was kept. `history`: so many lines before the screen too. */
export async function outputOf(
  swarm: Swarm,
  record: WorkerRecord,
  { history, lines }: { readonly history: boolean; readonly lines: number },
): Promise<string | null> {
  if (record.tmux === null) return readLog(logPath(swarm.home, record.name, 'stdout'));
  if (isWorkerAlive(swarm, record)) {
    const pane = await paneOf(swarm, record);
    return lastLines(await pane.capture(history ? lines : 0), Number.POSITIVE_INFINITY);
  }
  const window = windowOf(swarm.home, record.name);
  if (window !== null && serverIsAlive(window, swarm.place))
    await logIsWhole(windowFolder(swarm.home, record.name), window);
  const log = readLog(logPath(swarm.home, record.name, 'tmux'));
  return log === null ? null : lastLines(asText(log), lines);
}

/** The last lines that are not empty, with a line end. */
export function lastLines(text: string, count: number): string {
  const lines = text.trimEnd().split('\n').slice(-count);
  return lines.length === 1 && lines[0] === '' ? '' : `${lines.join('\n')}\n`;
}

function readLog(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** A terminal's stream without what moves the cursor and makes colours. */
function asText(stream: string): string {
  return stripVTControlCharacters(stream)
    .replaceAll('\r\n', '\n')
    .replaceAll(/\r|\p{Cc}(?<!\n|\t)/gu, '');
}
