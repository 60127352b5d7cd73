/** `~/.swarm/ralph/<name>/iterations.log`: one line per event, for `tail -f`. */
import { join } from 'node:path';
import type { Ending } from '../../../core/ending.ts';
import { appendFile } from '../../../process/files.ts';
import { ralphFolder, writeIn } from './state-file.ts';
import { isoSeconds } from './times.ts';

export type LogEvent = 'START' | 'END' | 'FAIL' | 'TIMEOUT' | 'DONE' | 'PAUSE' | 'REFUSED' | 'WARN';

export function iterationsLog(home: string, name: string): string {
  return join(ralphFolder(home, name), 'iterations.log');
}

export function appendLog(home: string, name: string, event: LogEvent, text: string): void {
  const line = `${isoSeconds(Date.now())} [${event}] ${text}\n`;
  writeIn(ralphFolder(home, name), () => appendFile(iterationsLog(home, name), line, { mode: 0o600 }));
}

/** Why a loop is over. */
export function exitReason({ kind }: Ending): string {
  return REASONS[kind] ?? kind;
}

const REASONS: Partial<Record<Ending['kind'], string>> = {
  done: 'done_pattern',
  'iteration-limit': 'max_iterations',
  stopped: 'killed',
  'kept-failing': 'failed',
};
