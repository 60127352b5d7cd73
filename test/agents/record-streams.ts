/**
 * Saves what the real agents printed in these tests as fixtures for the parsers, if asked:
 * `RECORD_STREAMS=1 npm test -- agents`, for example after raising a pinned release.
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

/** Replaces the paths and ports of the recording machine. */
function withoutPlaces(text: string, scene: AgentScene): string {
  return text
    .replaceAll(scene.folder, '/scene')
    .replaceAll(/[^\s"'(]*\/(?=node_modules\/)/g, '/agents/')
    .replaceAll(/[^\s"'(]*\/rehearsals\/[\w-]+/g, '/rehearsal')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:1');
}
