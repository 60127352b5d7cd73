/** How the words on `swarm`'s command lines are read. */
import { InvalidArgumentError } from 'commander';
import type { Swarm } from '../../loops/swarm/workers/swarm.ts';

/** Runs a command's code in the swarm of this process and exits with its code. */
export type Run = (command: (swarm: Swarm) => Promise<number>) => Promise<void>;

export function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

export function positiveInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('It must be a positive integer.');
  return number;
}

export function seconds(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number < 0) {
    throw new InvalidArgumentError('It must be a number of seconds.');
  }
  return number;
}
