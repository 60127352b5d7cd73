/** `swarm init`: instructions for agents, added once, replaced when forced. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeScene, said } from './scene.ts';

const HEADING = '## Process Management (swarm)';

function files(scene: ReturnType<typeof makeScene>) {
  const path = (name: string): string => join(scene.work, name);
  return {
    write: (name: string, text: string) => writeFileSync(path(name), text),
    text: (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : null),
  };
}

test('it makes AGENTS.md, and says so before when asked', async () => {
  const scene = makeScene();
  const { text } = files(scene);
  const dry = await scene.swarm('init', '--dry-run');
  expect(dry).toEqual(said('Would create AGENTS.md with swarm agent instructions\n'));
  expect(text('AGENTS.md')).toBeNull();
  expect(await scene.swarm('init')).toEqual(said('Created AGENTS.md\n'));
  expect(text('AGENTS.md')).toMatch(new RegExp(`^${HEADING.replaceAll(/[()]/g, '\\$&')}\n`));
  expect(await scene.swarm('init')).toEqual(said('swarm: AGENTS.md already contains swarm instructions\n'));
});

test('it adds to the file that is there, after one empty line', async () => {
  const scene = makeScene();
  const { write, text } = files(scene);
  write('CLAUDE.md', '# Mine\n\n\n\n');
  expect(await scene.swarm('init', '--dry-run')).toEqual(said('Would append swarm instructions to CLAUDE.md\n'));
  expect(await scene.swarm('init')).toEqual(said('Added swarm instructions to CLAUDE.md\n'));
  expect(text('CLAUDE.md')).toContain(`# Mine\n\n${HEADING}\n`);
  expect(text('AGENTS.md')).toBeNull();
});

test('AGENTS.md comes first, --file decides, and instructions in either file are enough', async () => {
  const scene = makeScene();
  const { write, text } = files(scene);
  write('AGENTS.md', 'a');
  write('CLAUDE.md', 'c');
  expect(await scene.swarm('init', '--file', 'CLAUDE.md')).toEqual(said('Added swarm instructions to CLAUDE.md\n'));
  expect(text('AGENTS.md')).toBe('a');
  expect(await scene.swarm('init')).toEqual(said('swarm: CLAUDE.md already contains swarm instructions\n'));
  expect((await scene.swarm('init', '--file', 'README.md')).code).toBe(2);
});

test('--force replaces the section and nothing else', async () => {
  const scene = makeScene();
  const { write, text } = files(scene);
  write('AGENTS.md', `# Mine\n\nbefore\n\n${HEADING}\n\nold words\n\n### Old part\n\n## After\n\nafter\n`);
  expect(await scene.swarm('init', '--force', '--dry-run')).toEqual(
    said('Would update swarm instructions in AGENTS.md\n'),
  );
  expect(await scene.swarm('init', '--force')).toEqual(said('Updated swarm instructions in AGENTS.md\n'));
  const now = text('AGENTS.md') ?? '';
  expect(now).toMatch(/^# Mine\n\nbefore\n\n## Process Management \(swarm\)\n[\s\S]+\n\n## After\n\nafter\n$/);
  expect(now).not.toMatch(/old words|Old part/);
});
