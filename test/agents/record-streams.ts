/**
 * Keeps what the real agents printed in these tests as the parsers' fixtures, when asked to:
 * `RECORD_STREAMS=1 npm test -- agents`, for example after a pinned release was raised.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AgentScene } from './scene.ts';

const FIXTURES = resolve(import.meta.dirname, '../fixtures/streams');

export function recordStreams(agent: string, situation: string, scene: AgentScene): void {
  if (process.env.RECORD_STREAMS !== '1') return;
  const folder = join(FIXTURES, agent);
  mkdirSync(folder, { recursive: true });
  const runs = scene.runsFolder();
  for (const file of readdirSync(runs).filter((entry) => /-(?:work|message)-\d\.(?:out|err)$/.test(entry))) {
    const text = readFileSync(join(runs, file), 'utf8');
    if (text !== '' || file.endsWith('.out'))
      writeFileSync(join(folder, `${situation}-${file}`), withoutPlaces(text, scene));
  }
}

/** Where the recording machine kept its files is of no interest. */
function withoutPlaces(text: string, scene: AgentScene): string {
  return text
    .replaceAll(scene.folder, '/scene')
    .replaceAll(/[^\s"'(]*\/(?=node_modules\/)/g, '/agents/')
    .replaceAll(/[^\s"'(]*\/rehearsals\/[\w-]+/g, '/rehearsal')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:1');
}
