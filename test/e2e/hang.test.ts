/** Agents that hang are ended and tried again; slow ones are left alone. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeScene, type Scene } from '../support/scene.ts';

const DONE = 'claude_says "<response>DONE</response>"; claude_result done';
/** The first start runs `trouble`, the next one works. */
const first = (trouble: string): string =>
  `[ "$(grep -c agent "$SCENE/starts.log")" -gt 1 ] || { ${trouble}; }; ${DONE}`;
const sceneOf = (play: string, env: Record<string, string> = {}): Scene =>
  makeScene({ play, agent: 'claude', env, settings: { maximumIterations: 1 } });

function outcomes(scene: Scene): unknown[] {
  return scene.journal().flatMap(({ result }) => (result.kind === 'ran' ? [result.outcome] : []));
}

const HUNG = {
  kind: 'hang',
  reason: 'it printed nothing, used no CPU and received nothing from the network for 1s',
};

/** A server that sends a line every 100 ms on every connection. */
async function chattyServer(): Promise<{ port: string; server: ChildProcess }> {
  const program = `require('net').createServer((socket) => setInterval(() => socket.write('ping\\n'), 100))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;
  const server = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void server.kill('SIGKILL'));
  const [port] = await once(server.stdout, 'data');
  return { port: String(port).trim(), server };
}

const CONNECTED = `exec node -e "require('net').connect($PORT, '127.0.0.1').resume(); setTimeout(() => process.exit(), 1000 * $STAYS)"`;

describe('an agent that hangs', () => {
  test('at its start is ended and started again, and costs no iteration', async () => {
    const scene = sceneOf(first('exec sleep 1000'));
    const { code, stderr } = await scene.run('--hang-after', '1s');
    expect(code).toBe(0);
    expect(outcomes(scene)).toEqual([HUNG, { kind: 'worked' }]);
    expect(stderr).toContain('! The agent hangs: it printed nothing');
    expect(stderr).toContain('✓ Done in 1 iteration');
  });

  test('in the middle of its stream is ended, too', async () => {
    const scene = sceneOf(first('claude_says "I begin."; exec sleep 1000'));
    expect((await scene.run('--hang-after', '1s')).code).toBe(0);
    expect(outcomes(scene)).toEqual([HUNG, { kind: 'worked' }]);
  });

  test('on a dead connection is ended', async () => {
    const { port, server } = await chattyServer();
    server.kill('SIGSTOP');
    const scene = sceneOf(first(CONNECTED.replace('$STAYS', '1000')), { PORT: port });
    expect((await scene.run('--hang-after', '1s')).code).toBe(0);
    expect(outcomes(scene)).toEqual([HUNG, { kind: 'worked' }]);
  });

  test('is left alone with --no-hang-detection', async () => {
    const scene = sceneOf(`sleep 2; ${DONE}`);
    expect((await scene.run('--hang-after', '1s', '--no-hang-detection')).code).toBe(0);
    expect(outcomes(scene)).toEqual([{ kind: 'worked' }]);
  });
});

describe('an agent that takes long', () => {
  test('and computes is left alone', async () => {
    const busy = `node -e "const end = Date.now() + 3000; while (Date.now() < end);"`;
    const scene = sceneOf(`${busy}; ${DONE}`);
    expect((await scene.run('--hang-after', '1s')).code).toBe(0);
    expect(outcomes(scene)).toEqual([{ kind: 'worked' }]);
  });

  test('and receives data from its server is left alone', async () => {
    const { port } = await chattyServer();
    const scene = sceneOf(`(${CONNECTED.replace('$STAYS', '3')}); ${DONE}`, { PORT: port });
    expect((await scene.run('--hang-after', '1s')).code).toBe(0);
    expect(outcomes(scene)).toEqual([{ kind: 'worked' }]);
  });
});

test('an agent that does not exit after its last message is ended, and counts as having worked', async () => {
  const scene = sceneOf(`${DONE}; exec sleep 1000`);
  expect((await scene.run('--hang-after', '1s')).code).toBe(0);
  expect(outcomes(scene)).toEqual([{ kind: 'worked' }]);
});
