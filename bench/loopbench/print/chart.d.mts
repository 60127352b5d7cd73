import type { HarnessResult } from './table.mjs';

export function chartOf(results: readonly HarnessResult[]): string;
