/** Waits until an agent's screen shows that it takes input. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration } from '../core/time.ts';

export interface ReadyWait {
  screen(): Promise<string>;
  isAlive(): boolean;
  readonly timeout: Duration;
  readonly every?: Duration;
}

export type Readiness = 'ready' | 'timeout' | 'gone';

/** By line. The end of a line stands for a blank too: a captured screen has none at its line ends. */
const READY = [
  /bypass\s+permissions/,
  /permissions?\s+mode/,
  /shift\+tab\s+to\s+cycle/,
  /Claude\s+Code\s+v\d+/,
  /^>(?:\s|$)/,
  /❯(?:\s|$)/,
  /opencode\s+v\d+/,
  /tab\s+switch\s+agent/,
  /ctrl\+p\s+commands/,
  /^\$(?:\s|$)/,
  /^>>>(?:\s|$)/,
];

export async function waitUntilReady({ screen, isAlive, timeout, every = 500 }: ReadyWait): Promise<Readiness> {
  const deadline = performance.now() + timeout;
  for (;;) {
    if (!isAlive()) return 'gone';
    if (isReady(await screen())) return 'ready';
    const left = deadline - performance.now();
    if (left <= 0) return 'timeout';
    await sleep(Math.min(every, left));
  }
}

export function isReady(screen: string): boolean {
  return screen.split('\n').some((line) => READY.some((pattern) => pattern.test(line)));
}
