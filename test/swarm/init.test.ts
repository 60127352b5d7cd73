/** `swarm init`: instructions for agents, added once, replaced when forced. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeScene, type Scene, said } from './scene.ts';

const HEADING = '## Process Management (swarm)';

function files(scene: ReturnType<typeof makeScene>) {
  const path = (name: string): string => join(scene.work, name);
  return {
    write: (name: string, text: string) => writeFileSync(path(name), text),
    text: (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : null),
  };
}

test('it creates AGENTS.md, and --dry-run says so first', async () => {
  const scene = makeScene();
  const { text } = files(scene);
  const dry = await scene.swarm('init', '--dry-run');
  expect(dry).toEqual(said('Would create AGENTS.md with swarm agent instructions\n'));
  expect(text('AGENTS.md')).toBeNull();
  expect(await scene.swarm('init')).toEqual(said('Created AGENTS.md\n'));
  expect(text('AGENTS.md')).toMatch(new RegExp(`^${HEADING.replaceAll(/[()]/g, '\\$&')}\n`));
  expect(await scene.swarm('init')).toEqual(said('swarm: AGENTS.md already contains swarm instructions\n'));
});

test('it appends to a file that exists, after one empty line', async () => {
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

const SANDBOX_FILES = [
  'sandbox.sh',
  'Dockerfile.sandbox',
  'setup-sandbox-network.sh',
  'teardown-sandbox-network.sh',
  'ORCHESTRATOR.md',
  'PROMPT.md',
];

describe('--with-sandbox', () => {
  test('adds the missing files, lists them first with --dry-run, and replaces nothing', async () => {
    const scene = makeScene();
    const { write, text } = files(scene);
    const would = SANDBOX_FILES.map((name) => `Would create ${name}\n`).join('');
    const dry = await scene.swarm('init', '--with-sandbox', '--dry-run');
    expect(dry).toEqual(said(`Would create AGENTS.md with swarm agent instructions\n${would}`));
    expect(readdirSync(scene.work).filter((name) => name !== '.git')).toEqual(['file']);
    write('PROMPT.md', 'Mine.\n');
    const made = SANDBOX_FILES.slice(0, -1).map((name) => `Created ${name}\n`);
    const skipped = 'swarm: PROMPT.md already exists, skipping\n';
    expect(await scene.swarm('init', '--with-sandbox')).toEqual(said(`Created AGENTS.md\n${made.join('')}${skipped}`));
    expect(text('PROMPT.md')).toBe('Mine.\n');
    const all = SANDBOX_FILES.map((name) => `swarm: ${name} already exists, skipping\n`).join('');
    const again = await scene.swarm('init', '--with-sandbox', '--force');
    expect(again).toEqual(said(`Updated swarm instructions in AGENTS.md\n${all}`));
  });

  test('its scripts are executable, and a plain shell can parse them', async () => {
    const scene = makeScene();
    await scene.swarm('init', '--with-sandbox');
    for (const name of SANDBOX_FILES.filter((file) => file.endsWith('.sh'))) {
      const path = join(scene.work, name);
      expect([name, statSync(path).mode & 0o777]).toEqual([name, 0o755]);
      execFileSync('sh', ['-n', path]);
    }
  });

  test('a loop runs in the container, which is built once, gets the prompt and ends with the worker', async () => {
    const scene = makeScene();
    await scene.swarm('init', '--with-sandbox');
    const docker = fakeDocker(scene);
    const flags = ['--ralph', '--prompt-file', 'PROMPT.md', '--max-iterations', '2', '--prompt-via', 'stdin'];
    const loop = scene.start(['spawn', '--name', 'dev', ...flags, '--', './sandbox.sh', '-p', '--verbose']);
    await scene.until(() => docker.calls().filter((call) => call.startsWith('run')).length === 2);
    await scene.until(() => docker.prompts().length === 2);
    expect(docker.prompts()).toEqual([files(scene).text('PROMPT.md'), files(scene).text('PROMPT.md')]);
    const calls = docker.calls();
    expect(calls.filter((call) => call.startsWith('build'))).toHaveLength(1);
    const run = calls.find((call) => call.startsWith('run')) ?? '';
    expect(run).toContain(`--network=swarm-sandbox --memory=8g --memory-swap=8g`);
    expect(run).toContain(`-v ${scene.work}:${scene.work} -w ${scene.work} -v ${scene.work}/.git:${scene.work}/.git`);
    expect(run).toMatch(/ swarm-sandbox claude -p --verbose$/);
    await scene.swarm('kill', 'dev');
    await loop.exited;
    expect(docker.calls().at(-1)).toMatch(/^rm -f swarm-sandbox-\d+$/);
  });
});

/** A fake docker: logs its calls; the image exists once it was built; the second container keeps running. */
function fakeDocker(scene: Scene): { calls(): string[]; prompts(): (string | null)[] } {
  const log = join(scene.folder, 'docker-calls');
  const lines = `#!/bin/sh
echo "$*" >>'${log}'
case $1 in
image) test -e '${log}-built' ;;
build) cat >'${log}-built' ;;
run)
  n=$(grep -c ^run '${log}')
  cat >'${log}-prompt'
  mv '${log}-prompt' '${log}-prompt-'$n
  if [ "$n" = 2 ]; then while :; do sleep 0.05; done; fi
  ;;
esac
`;
  mkdirSync(join(scene.folder, 'bin'));
  writeFileSync(join(scene.folder, 'bin/docker'), lines, { mode: 0o755 });
  scene.env.PATH = `${join(scene.folder, 'bin')}:${scene.env.PATH ?? ''}`;
  const read = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null);
  return {
    calls: () => read(log)?.trim().split('\n') ?? [],
    prompts: () => [1, 2].map((n) => read(`${log}-prompt-${n}`)).filter((text) => text !== null),
  };
}
