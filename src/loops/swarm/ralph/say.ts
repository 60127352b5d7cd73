/** What the loop says on the console, word for word as seed 000 has it. */
import { FAILURES_THAT_END_A_LOOP } from '../../../core/backoff.ts';
import type { Duration } from '../../../core/time.ts';
import { spokenDuration } from './times.ts';

export function saysFor(name: string) {
  const ralph = (text: string): string => `[ralph] ${name}: ${text}`;
  return {
    spawned: (session: string, iteration: number, limit: number): string =>
      `spawned ${name} (tmux: ${session}:${name}) [ralph mode: iteration ${iteration}/${limit}]`,
    starting: (iteration: number, limit: number): string => ralph(`starting iteration ${iteration}/${limit}`),
    completed: (iteration: number, exit: string, took: Duration): string =>
      ralph(`iteration ${iteration} completed (exit: ${exit}, duration: ${spokenDuration(took)})`),
    failed: (iteration: number, exit: string): string => ralph(`iteration ${iteration} failed (exit: ${exit})`),
    retrying: (iteration: number, exit: string, seconds: number, attempt: number): string =>
      ralph(
        `iteration ${iteration} failed (exit: ${exit}), retrying in ${seconds}s (attempt ${attempt}/${FAILURES_THAT_END_A_LOOP})`,
      ),
    inactive: (seconds: number): string => ralph(`inactivity timeout (${seconds}s), restarting`),
    patternMatched: (): string => ralph('done pattern matched, stopping loop'),
    complete: (iterations: number): string => ralph(`loop complete after ${iterations} iterations`),
    keptFailing: (failures: number): string => ralph(`${failures} consecutive failures, stopping loop`),
    killed: (): string => ralph('killed, stopping loop'),
    gaveUp: (reason: string): string => ralph(`${reason}, stopping loop`),
    refused: (text: string): string => ralph(`Sandbox: ${text}`),
    refusedSoOften: (count: number): string => ralph(`${count} ${count === 1 ? 'refusal' : 'refusals'} by the sandbox`),
    paused: (): string => ralph('paused, waiting'),
    handedOver: (): string => ralph('resumed meanwhile, a new supervisor continues in the background'),
    terminated: (): string => ralph('received SIGTERM, pausing loop (current agent will complete)'),
    warning: (text: string): string => `swarm: warning: ${text}`,
  };
}
