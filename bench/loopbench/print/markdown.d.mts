import type { HarnessResult } from './table.mjs';

export function markdownOf(results: readonly HarnessResult[]): string;
