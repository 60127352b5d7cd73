/** Agents that do what real programs do. The loop reads them, waits for them, and leaves no process of them behind. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { levelsToTest } from '../levels.ts';
import { processesOf } from '../programs/processes.ts';
import { DONE, makeScene, ROOT } from '../scene.ts';

const LOCK_IS_FREE = [{ command: 'flock -n "$SCENE/lock" true', failAction: 'APPEND' }];
const MEGABYTE = 1024 * 1024;

export function awkwardAgents(): void {
  heard();
  describe.each(levelsToTest())('contained by "%s"', (level) => {
    test('the loop waits for an agent that closes its stdout and keeps running', async () => {
      const guardrails = [{ command: 'grep late work.txt', failAction: 'APPEND' }];
      const play = `${DONE}; exec >&-; sleep 0.3; echo late >>work.txt`;
      const scene = makeScene({ level, play, settings: { guardrails } });
      expect(await scene.run('-m', '1')).toMatchObject({ code: 0 });
    });

    // The weakest level is documented as best effort: a daemon without environment, in its own session, escapes it.
    test.each(level === 'group' ? ['plain'] : ['plain', 'hidden'])(
      'a %s daemon that holds its stdout does not hold up the loop, and is gone before the next step',
      async (kind) => {
        const front = kind === 'hidden' ? 'setsid setsid env -i' : 'setsid';
        const daemon = `${front} flock "$SCENE/lock" sh -c 'read -r _ <"$0"' "$SCENE/gate" &`;
        const play = `${daemon} while flock -n "$SCENE/lock" true; do sleep 0.01; done; ${DONE}`;
        const scene = makeScene({ level, play, settings: { guardrails: LOCK_IS_FREE } });
        expect(await scene.run('-m', '1')).toMatchObject({ code: 0 });
        expect(processesOf(scene.folder)).toEqual([]);
      },
    );

    test('a process that is slow to die, because of its memory, is gone before the next step', async () => {
      const big = `perl -e '$x = "x" x 400_000_000; open F, ">$ENV{SCENE}/ready"; sleep 600'`;
      const play = `setsid flock "$SCENE/lock" ${big} & until [ -e "$SCENE/ready" ]; do sleep 0.01; done; ${DONE}`;
      const scene = makeScene({ level, play, settings: { guardrails: LOCK_IS_FREE } });
      expect(await scene.run('-m', '1')).toMatchObject({ code: 0 });
    });

    test('a program that cannot be started is reported at once as a mistake in the settings', async () => {
      const scene = makeScene({ level, play: DONE });
      scene.write('work/agent', '#!/no/such/interpreter\n');
      chmodSync(join(scene.work, 'agent'), 0o755);
      scene.write('work/.ralph/settings.json', '{"agent": {"command": "./agent"}, "failureBackoffMs": 10}');
      const { code, stderr } = await scene.run();
      expect(stderr).toContain('hint: ');
      expect(code).toBe(2);
    });

    test('an agent that is killed by a signal has failed, never succeeded', async () => {
      const scene = makeScene({ level, play: `${DONE}; kill -KILL $$` });
      const { code, stderr } = await scene.run('-m', '1');
      expect(code).toBe(1);
      expect(stderr).toMatch(/Agent failed \((signal SIGKILL|exit 137)\)/);
    });
  });
}

/** Their output arrives complete. These tests do not depend on the containment. */
function heard(): void {
  test('output of claude that is not JSON is shown, and breaks nothing', async () => {
    const play = `echo "Invalid API key"; echo '{"type":'; echo '[1]'; echo 'null'
      claude_says "I am done <response>DONE</response>"; claude_result x`;
    const scene = makeScene({ agent: 'claude', play });
    const { code, stdout, stderr } = await scene.run('-m', '1');
    expect(code).toBe(0);
    expect(stdout).toContain('I am done <response>DONE</response>\n');
    expect(stdout + stderr).toContain('Invalid API key');
  });

  test('a stream that ends before its final result is a failure, whatever its text and exit code', async () => {
    const scene = makeScene({ agent: 'claude', play: 'claude_says "<response>DONE</response>"' });
    const { code, stderr } = await scene.run('-m', '1');
    expect(code).toBe(1);
    expect(stderr).toContain('Agent failed');
  });

  test('a line of 20 MB is read to its end', async () => {
    const play = `head -c ${20 * MEGABYTE} /dev/zero | tr '\\0' x; ${DONE}`;
    const scene = makeScene({ play });
    const { code, stdout } = await scene.run('-m', '1');
    expect(code).toBe(0);
    expect(stdout.length).toBe(20 * MEGABYTE + '<response>DONE</response>\n'.length);
  });

  test('a line of 20 MB of JSON is read to its end, too', async () => {
    const play = `printf '{"type":"assistant","message":{"content":[{"type":"text","text":"'
      head -c ${20 * MEGABYTE} /dev/zero | tr '\\0' x
      printf '<response>DONE</response>"}]}}\\n'; claude_result x`;
    const scene = makeScene({ agent: 'claude', play });
    expect(await scene.run('-m', '1')).toMatchObject({ code: 0 });
  });

  test('characters that arrive byte by byte are put together again', async () => {
    const text = 'Grüße, 世界 🙂 é\n<response>DONE</response>';
    const scene = makeScene({ play: `node ${join(ROOT, 'test/fakes/drip.mjs')} '${text}'` });
    const { code, stdout } = await scene.run('-m', '1');
    expect(code).toBe(0);
    expect(stdout).toBe(`${text}\n`);
  });

  test('a flood on stderr stops neither the loop nor the output on stdout', async () => {
    const scene = makeScene({ play: `yes "a complaint of $(seq -s , 1 50)" | head -c ${20 * MEGABYTE} >&2; ${DONE}` });
    const { code, stdout, stderr } = await scene.run('-m', '1');
    expect(code).toBe(0);
    expect(stdout).toBe('<response>DONE</response>\n');
    expect(stderr.length).toBeGreaterThan(20 * MEGABYTE);
  });

  test('escape sequences do not reach the terminal', async () => {
    const scene = makeScene({
      play: `printf '\\033]0;owned\\007\\033[2Jred\\033[0m\\r\\n'; printf '\\033[5m' >&2; ${DONE}`,
    });
    const { stdout, stderr } = await scene.run('-m', '1');
    expect(stdout).toMatch(/^red\n/);
    for (const control of ['\u001b', '\u0007', '\r']) expect(stdout + stderr).not.toContain(control);
  });

  test('a prompt of 1 MB arrives complete', async () => {
    const scene = makeScene({ play: `wc -c; ${DONE}` });
    scene.write('prompt', 'x'.repeat(MEGABYTE));
    const { code, stdout } = await scene.ralph(['run', '-m', '1', '-f', '../prompt']).exited;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^1048576\n/);
  });
}
