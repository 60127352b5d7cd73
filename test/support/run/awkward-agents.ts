/** Agents that do what programs do in the wild. The loop hears them, waits for them, and leaves nothing of them. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { levelsOfThisMachine } from '../../crash/levels.ts';
import { processesOf } from '../programs/processes.ts';
import { DONE, makeScene, ROOT } from '../scene.ts';

const LOCK_IS_FREE = [{ command: 'flock -n "$SCENE/lock" true', failAction: 'APPEND' }];
const MEGABYTE = 1024 * 1024;

export function awkwardAgents(): void {
  heard();
  describe.each(levelsOfThisMachine())('contained by "%s"', (level) => {
    test('one that closes its stdout and lives on is waited for', async () => {
      const guardrails = [{ command: 'grep late work.txt', failAction: 'APPEND' }];
      const play = `${DONE}; exec >&-; sleep 0.3; echo late >>work.txt`;
      const scene = makeScene({ level, play, settings: { guardrails } });
      expect(await scene.run('-m', '1')).toMatchObject({ code: 0 });
    });

    // The weakest level is best effort, and says so: one that hides (no environment, a session of its own) escapes it.
    test.each(level === 'group' ? ['plain'] : ['plain', 'hidden'])(
      'a %s daemon that holds its stdout is not waited for, and is gone before anything else happens',
      async (kind) => {
        const front = kind === 'hidden' ? 'setsid setsid env -i' : 'setsid';
        const daemon = `${front} flock "$SCENE/lock" sh -c 'read -r _ <"$0"' "$SCENE/gate" &`;
        const play = `${daemon} while flock -n "$SCENE/lock" true; do sleep 0.01; done; ${DONE}`;
        const scene = makeScene({ level, play, settings: { guardrails: LOCK_IS_FREE } });
        expect(await scene.run('-m', '1')).toMatchObject({ code: 0 });
        expect(processesOf(scene.folder)).toEqual([]);
      },
    );

    test('one that takes long to die, because of its memory, has let go of everything before the next step', async () => {
      const big = `perl -e '$x = "x" x 400_000_000; open F, ">$ENV{SCENE}/ready"; sleep 600'`;
      const play = `setsid flock "$SCENE/lock" ${big} & until [ -e "$SCENE/ready" ]; do sleep 0.01; done; ${DONE}`;
      const scene = makeScene({ level, play, settings: { guardrails: LOCK_IS_FREE } });
      expect(await scene.run('-m', '1')).toMatchObject({ code: 0 });
    });

    test('a program that cannot be started is a mistake in the settings, at once', async () => {
      const scene = makeScene({ level, play: DONE });
      scene.write('work/agent', '#!/no/such/interpreter\n');
      chmodSync(join(scene.work, 'agent'), 0o755);
      scene.write('work/.ralph/settings.json', '{"agent": {"command": "./agent"}, "failureBackoffMs": 10}');
      const { code, stderr } = await scene.run();
      expect(stderr).toContain('hint: ');
      expect(code).toBe(2);
    });

    test('the death of an agent by a signal is a failure, never a success', async () => {
      const scene = makeScene({ level, play: `${DONE}; kill -KILL $$` });
      const { code, stderr } = await scene.run('-m', '1');
      expect(code).toBe(1);
      expect(stderr).toMatch(/Agent failed \((signal SIGKILL|exit 137)\)/);
    });
  });
}

/** What they say arrives, whole; these do not depend on how they are contained. */
function heard(): void {
  test('words that are not JSON from an agent named claude are shown, and break nothing', async () => {
    const play = `echo "Invalid API key"; echo '{"type":'; echo '[1]'; echo 'null'
      claude_says "I am done <response>DONE</response>"; claude_result x`;
    const scene = makeScene({ agent: 'claude', play });
    const { code, stdout, stderr } = await scene.run('-m', '1');
    expect(code).toBe(0);
    expect(stdout).toContain('I am done <response>DONE</response>\n');
    expect(stdout + stderr).toContain('Invalid API key');
  });

  test('a stream that breaks off before its final result is a failure, whatever it said and with whatever exit', async () => {
    const scene = makeScene({ agent: 'claude', play: 'claude_says "<response>DONE</response>"' });
    const { code, stderr } = await scene.run('-m', '1');
    expect(code).toBe(1);
    expect(stderr).toContain('Agent failed');
  });

  test('a line of 20 MB is heard to its end', async () => {
    const play = `head -c ${20 * MEGABYTE} /dev/zero | tr '\\0' x; ${DONE}`;
    const scene = makeScene({ play });
    const { code, stdout } = await scene.run('-m', '1');
    expect(code).toBe(0);
    expect(stdout.length).toBe(20 * MEGABYTE + '<response>DONE</response>\n'.length);
  });

  test('a line of 20 MB of JSON, too', async () => {
    const play = `printf '{"type":"assistant","message":{"content":[{"type":"text","text":"'
      head -c ${20 * MEGABYTE} /dev/zero | tr '\\0' x
      printf '<response>DONE</response>"}]}}\\n'; claude_result x`;
    const scene = makeScene({ agent: 'claude', play });
    expect(await scene.run('-m', '1')).toMatchObject({ code: 0 });
  });

  test('characters that arrive byte by byte are whole again', async () => {
    const text = 'Grüße, 世界 🙂 é\n<response>DONE</response>';
    const scene = makeScene({ play: `node ${join(ROOT, 'test/fakes/drip.mjs')} '${text}'` });
    const { code, stdout } = await scene.run('-m', '1');
    expect(code).toBe(0);
    expect(stdout).toBe(`${text}\n`);
  });

  test('a flood on stderr drowns neither the loop nor the words on stdout', async () => {
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

  test('a prompt of 1 MB arrives whole', async () => {
    const scene = makeScene({ play: `wc -c; ${DONE}` });
    scene.write('prompt', 'x'.repeat(MEGABYTE));
    const { code, stdout } = await scene.ralph(['run', '-m', '1', '-f', '../prompt']).exited;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^1048576\n/);
  });
}
