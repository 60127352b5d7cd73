/** `ralph report`: what loops did, checked and cost, and what needs a person; as text, Markdown, JSON and HTML. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DONE, makeScene, type Scene } from '../support/scene.ts';

const KEY = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
const EVIL = '<script>alert(1)</script> [x](http://e) `$(id)`';

/** One loop that is done on the second try, one that asks a question, one that stays red. */
async function threeLoops(): Promise<Scene> {
  const scene = makeScene({
    play: `case "$prompt" in
      *ask*) claude_says "<response>BLOCKED: ${EVIL.replaceAll('`', String.raw`\``).replaceAll('$', String.raw`\$`)}</response>" ;;
      *) echo line >>work.txt; claude_says "<response>DONE</response>" ;;
    esac; claude_result done`,
    agent: 'claude',
    settings: { guardrails: [{ command: 'test "$(grep -c line work.txt)" -ge 2', failAction: 'APPEND' }] },
  });
  await scene.ralph(['run', '-p', `fix ${KEY} it`]).exited;
  await scene.ralph(['run', 'ask me']).exited;
  await scene.ralph(['run', '-p', 'stay red', '--check', 'false', '-m', '2']).exited;
  return scene;
}

describe('ralph report', () => {
  test('puts what needs a person first, and shows what was checked, the cost, and the next command', async () => {
    const scene = await threeLoops();
    const { code, stdout } = await scene.shell('ralph report');
    expect(code).toBe(0);
    expect(stdout).toContain('3 loops: 1 needs you, 1 failed, 1 done · $2.50 · worked ');
    const heads = stdout.split('\n').filter((line) => /^[!✗✓] /.test(line));
    expect(heads.map((line) => line[0])).toEqual(['!', '✗', '✓']);
    expect(stdout).toMatch(/next +ralph answer \w{4} "…"/);
    expect(stdout).toMatch(/next +ralph resume \w{4} -m 4/);
    expect(stdout).toMatch(/agent +claude/);
    expect(stdout).toContain('✓ (failed once before)');
    expect(stdout).toContain('false ✗ exit 1');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).not.toContain(KEY);
  });

  test('as HTML is one file that loads nothing and contains no tags from an agent and no secret keys', async () => {
    const scene = await threeLoops();
    const said = await scene.shell('ralph report -o night.html');
    expect(said.stdout).toBe('Report written to night.html\n');
    const page = scene.read('work/night.html');
    expect(page).toContain('&lt;script&gt;alert(1)');
    expect(page).not.toMatch(/<script|src=|href=|url\(/i);
    expect(page).not.toContain(KEY);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page.match(/<section>/g)).toHaveLength(3);
    expect(page.match(/<rect /g)?.length).toBeGreaterThanOrEqual(5);
  });

  test('as Markdown escapes what could become a link or a tag', async () => {
    const scene = await threeLoops();
    const { stdout } = await scene.shell('ralph report --format markdown');
    expect(stdout).toContain(String.raw`\<script\>alert\(1\)`);
    expect(stdout).not.toMatch(/[^\\]<script|[^\\]\]\(http/);
  });

  test('as JSON holds every iteration with its checks and its cost', async () => {
    const scene = await threeLoops();
    const { stdout } = await scene.shell('ralph report --format json');
    const { loops, totals } = JSON.parse(stdout) as { loops: { iterations: unknown[] }[]; totals: object };
    expect(loops.map(({ iterations }) => iterations.length)).toEqual([1, 2, 2]);
    expect(totals).toMatchObject({ costUsd: 2.5, runs: 5 });
    const check = { passed: true, exitCode: 0, digest: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect(loops[2]?.iterations[1]).toMatchObject({ checks: [check], filesChanged: 1, outcome: { words: 'done' } });
  });

  test('covers only the loops that are named, and says so if there are none', async () => {
    const scene = makeScene({ play: DONE });
    expect((await scene.shell('ralph report')).stdout).toContain('No loop has run since ');
    await scene.run();
    await scene.run();
    const [id = ''] = scene.loops();
    expect((await scene.shell(`ralph report ${id}`)).stdout).toContain('1 loop: 1 done');
    expect((await scene.shell('ralph report --since 2020-01-01')).stdout).toContain('2 loops: 2 done');
  });

  test.each([
    ['-o night', 'night does not say which format to use'],
    ['--since soon', 'must be yesterday, a duration such as 12h or 7d, or a day'],
  ])('refuses %s', async (flags, message) => {
    const scene = makeScene({ play: DONE });
    await scene.run();
    const { code, stderr } = await scene.shell(`ralph report ${flags}`);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(existsSync(join(scene.work, 'night'))).toBe(false);
  });
});
