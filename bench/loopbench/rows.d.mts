import type { Played } from './play.mjs';
import type { Scenario } from './scenarios/index.mjs';

export function tableOf(all: readonly { readonly scenario: Scenario; readonly played: Played }[]): string;
