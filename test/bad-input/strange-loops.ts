/** Puts damaged and foreign files among the loops of a machine, which other loops must ignore. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AS_ANYBODY } from './faults.ts';
import type { How } from './loop-kinds.ts';

export function strangeLoops(loops: string): How {
  const make = (id: string, ...files: readonly [name: string, put: (path: string) => void][]): void => {
    mkdirSync(join(loops, id));
    for (const [name, put] of files) put(join(loops, id, name));
  };
  const text = (content: string) => (path: string) => writeFileSync(path, content);
  const pipe = (path: string): void => void execFileSync('mkfifo', [path]);
  writeFileSync(join(loops, 'a-file'), 'mine\n');
  symlinkSync(join(loops, 'a-link'), join(loops, 'a-link'));
  make('empty');
  make('garbage', ['journal.jsonl', text('\0\n\0\n')], ['status.json', text('{')]);
  make('foreign', ['journal.jsonl', text('{"name":"left-pad"}\n')], ['status.json', text('{"name":"left-pad"}')]);
  make('pipes', ['journal.jsonl', pipe], ['status.json', pipe]);
  make('folders', ['journal.jsonl', (path) => mkdirSync(path)], ['status.json', (path) => mkdirSync(path)]);
  make('closed', ['journal.jsonl', text('')]);
  chmodSync(join(loops, 'closed'), 0);
  return { front: AS_ANYBODY };
}
