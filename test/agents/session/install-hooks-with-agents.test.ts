/** The hooks of `ralph install-hooks` in real agents: from a package in any folder, beside the plugin, and removed. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { endProcessesOf } from '../../support/programs/processes.ts';
import { agentScene, installAgents } from '../scene.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const TASK = '"/ralph-loop Count --max-iterations 2" </dev/null';
const CLAUDE = `claude -p ${TASK} --dangerously-skip-permissions`;

let programs: string[];

beforeAll(() => {
  programs = installAgents('claude', 'codex', 'gemini', 'opencode');
}, 600_000);

interface Played {
  /** Logs of the loops that were started. */
  readonly logs: readonly string[];
  readonly said: string;
}

/** `$ralph` in the line is the program of a package in a folder whose name a shell would expand without quotes. */
async function play(line: string): Promise<Played> {
  const scene = agentScene(programs, { 'README.md': 'A project.\n' });
  onTestFinished(() => {
    // If the test timed out, the rehearsal still runs.
    endProcessesOf(scene.folder);
    scene.remove();
  });
  const place = join(scene.folder, `it's a "place" for $HOME & \`more\``);
  mkdirSync(place);
  for (const part of ['bin', 'dist', 'plugin', 'package.json'])
    cpSync(join(ROOT, part), join(place, part), { recursive: true });
  const script = join(scene.folder, 'script.json');
  writeFileSync(script, JSON.stringify({ turns: [], otherwise: { say: 'Not yet.' } }));
  const command = ['sh', '-c', `ralph=$1; ${line}`, 'sh', join(place, 'bin/ralph.cjs')];
  const { stdout, stderr } = await scene.ralphRehearse(['--script', script, '--', ...command]);
  const loops = join(scene.state, 'ralph/loops');
  const ids = existsSync(loops) ? readdirSync(loops) : [];
  return { logs: ids.map((id) => readFileSync(join(loops, id, 'loop.log'), 'utf8')), said: `${stdout}${stderr}` };
}

/** What every loop shows that was sent back twice and then reached its limit. */
const TWICE = {
  logs: [expect.stringMatching(/^[^\n]*begun[^\n]*\n([^\n]*sent back\n){2}[^\n]*MAX_ITERATIONS_REACHED\n$/)],
  said: expect.stringContaining('Rehearsal: 3 requests'),
};

test.each([
  ['claude', CLAUDE],
  ['codex', `codex exec --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust ${TASK}`],
  ['gemini', `gemini --approval-mode yolo -m gemini-2.5-flash -p ${TASK}`],
])('%s: the bare command works, wherever the package is', async (agent, start) => {
  expect(await play(`"$ralph" install-hooks ${agent} --yes && ${start}`)).toEqual(TWICE);
});

test('opencode: the plugin is loaded, wherever the package is', async () => {
  const library = `mkdir .opencode/node_modules && echo '{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}' >.opencode/package-lock.json`;
  const { said } = await play(
    `"$ralph" install-hooks opencode --yes && ${library} && OPENCODE_PURE=0 opencode run --command ralph-loop Count </dev/null`,
  );
  expect(said).toContain('so a loop cannot continue in it');
});

test('Claude Code with the plugin loaded as well counts every stop once', async () => {
  expect(await play(`"$ralph" install-hooks claude --yes && ${CLAUDE} --plugin-dir ${ROOT}/plugin`)).toEqual(TWICE);
});

test('after the removal, no hook is left', async () => {
  const { logs, said } = await play(
    `"$ralph" install-hooks claude --yes && "$ralph" install-hooks claude --remove --yes && ${CLAUDE}`,
  );
  expect(logs).toEqual([]);
  expect(said).toContain('Rehearsal: 1 request,');
});
