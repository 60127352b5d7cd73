/** `ralph agents`, and command lines that depend on the installed release of an agent. */
import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeScene, type Scene } from '../../support/scene.ts';

/** Puts an executable of that name on the scene's PATH. */
function install(scene: Scene, name: string, lines: string): void {
  const file = join(scene.folder, 'bin', name);
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
}

describe('ralph agents', () => {
  const list = (scene: Scene, flags = '') =>
    scene.shell(`PATH="$SCENE/bin:${dirname(process.execPath)}:/usr/bin:/bin" ralph agents ${flags}`);

  test('shows version and path of each installed agent, and how to install the others', async () => {
    const scene = makeScene({ play: 'true' });
    install(scene, 'claude', 'echo "9.8.7 (Claude Code)"');
    install(scene, 'codex', 'echo "codex-cli 1.2.3-alpha.4"');
    const { code, stdout } = await list(scene);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^ {2}Claude Code +9\\.8\\.7 +${scene.folder}/bin/claude +reports dollars`, 'm'));
    expect(stdout).toMatch(/^ {2}Codex +1\.2\.3-alpha\.4 /m);
    expect(stdout).toMatch(/^ {2}Gemini CLI +npm install -g @google\/gemini-cli$/m);
  });

  test('shows "unknown version" for a program that fails or prints no version', async () => {
    const scene = makeScene({ play: 'true' });
    install(scene, 'claude', 'exit 3');
    install(scene, 'gemini', 'cat');
    const { stdout } = await list(scene);
    expect(stdout).toMatch(/^ {2}Claude Code +unknown version /m);
    expect(stdout).toMatch(/^ {2}Gemini CLI +unknown version /m);
  });

  test('prints JSON with --json', async () => {
    const scene = makeScene({ play: 'true' });
    install(scene, 'opencode', 'echo 4.5.6');
    const agents = JSON.parse((await list(scene, '--json')).stdout) as { name: string }[];
    expect(agents.find(({ name }) => name === 'opencode')).toMatchObject({ installed: true, version: '4.5.6' });
    expect(agents.find(({ name }) => name === 'codex')).toMatchObject({ installed: false, version: null, path: null });
  });
});

describe('codex', () => {
  /** Logs its arguments and answers in the form that they ask for. */
  const play = (help: string): string => `
case "$*" in *--help*) echo '${help}'; exit 0;; esac
echo "$*" >>"$SCENE/calls"; cat >>"$SCENE/prompts.txt"
while [ $# -gt 0 ]; do [ "$1" = -o ] && answer=$2; shift; done
if [ -n "$answer" ]; then echo 'noise on the way'; echo 'The message' >"$answer"; exit 0; fi
echo '{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"<response>DONE</response>"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}'`;
  const SCM = { command: 'git', tasks: ['commit'] };

  test.each([
    ['an old release', '  --full-auto   no questions', 'e --json --full-auto -', 'e -o ANSWER --full-auto -'],
    [
      'the present release',
      '  -s, --sandbox',
      'e --json -s workspace-write --skip-git-repo-check -',
      'e -o ANSWER -s workspace-write --skip-git-repo-check -',
    ],
  ])(
    'gets the flags of %s and the prompt on stdin; its commit message is read from a file',
    async (_which, help, work, message) => {
      const scene = makeScene({ play: 'true', settings: { agent: { command: 'codex' }, scm: SCM } });
      install(scene, 'codex', play(help));
      writeFileSync(join(scene.work, 'work.txt'), 'changed\n');
      const { code } = await scene.run();
      expect(code).toBe(0);
      expect(scene.read('calls').replaceAll(/\S+\.answer/g, 'ANSWER')).toBe(`${work}\n${message}\n`);
      expect(scene.read('prompts.txt')).toMatch(/^Do the work\.Provide a short/);
      expect(scene.git('log', '-1', '--format=%s')).toBe('The message\n');
    },
  );
});
