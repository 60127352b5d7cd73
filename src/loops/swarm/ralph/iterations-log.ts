/** `~/.swarm/ralph/<name>/iterations.log`: one line per event, for `tail -f`. */
import { join } from 'node:path';
import type { Ending } from '../../../core/ending.ts';
import type { Duration, Instant } from '../../../core/time.ts';
import { appendFile } from '../../../process/files.ts';
import { ralphFolder, writeIn } from './state-file.ts';
import { isoSeconds, writtenDuration } from './times.ts';

export type LogEvent =
  | { readonly event: 'START'; readonly iteration: number; readonly limit: number }
  | { readonly event: 'END'; readonly iteration: number; readonly exit: string; readonly took: Duration }
  | {
      readonly event: 'FAIL';
      readonly iteration: number;
      readonly exit: string;
      readonly attempt: number;
      readonly backoffSeconds: number;
    }
  | { readonly event: 'TIMEOUT'; readonly iteration: number; readonly seconds: number }
  | { readonly event: 'DONE'; readonly iterations: number; readonly reason: string }
  | { readonly event: 'PAUSE'; readonly reason: 'sigterm' | 'manual' }
  /** A failure with a text could not begin. */
  | { readonly event: 'FAIL' | 'REFUSED' | 'WARN'; readonly iteration: number; readonly text: string };

export function iterationsLog(home: string, name: string): string {
  return join(ralphFolder(home, name), 'iterations.log');
}

export function appendLog(home: string, name: string, at: Instant, event: LogEvent): void {
  const line = `${isoSeconds(at)} [${event.event}] ${words(event)}\n`;
  writeIn(ralphFolder(home, name), () => appendFile(iterationsLog(home, name), line, { mode: 0o600 }));
}

function words(event: LogEvent): string {
  if ('text' in event) return `iteration ${event.iteration}: ${event.text}`;
  switch (event.event) {
    case 'START':
      return `iteration ${event.iteration}/${event.limit}`;
    case 'END':
      return `iteration ${event.iteration} exit=${event.exit} duration=${writtenDuration(event.took)}`;
    case 'FAIL':
      return `iteration ${event.iteration} exit=${event.exit} attempt=${event.attempt}/5 backoff=${event.backoffSeconds}s`;
    case 'TIMEOUT':
      return `iteration ${event.iteration} inactivity_timeout=${event.seconds}s`;
    case 'DONE':
      return `loop complete after ${event.iterations} iterations reason=${event.reason}`;
    case 'PAUSE':
      return `loop paused reason=${event.reason}`;
  }
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
