/** Screens of the real agents in a tmux pane, from `test/fixtures/screens`. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Look } from '../../../src/tmux/pane.ts';

const FOLDER = resolve(import.meta.dirname, '../../fixtures/screens');

export function recordedScreen(agent: string, state: string): Look {
  const [first = '', ...lines] = readFileSync(resolve(FOLDER, `${agent}-${state}.txt`), 'utf8').split('\n');
  return { title: first.replace('title: ', ''), screen: lines.join('\n').trimEnd() };
}
