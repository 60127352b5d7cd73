import { describe, expect, onTestFinished, test } from 'vitest';
import { nodeProgram } from '../../../test/support/programs/node-program.ts';
import { type Program, startProgram } from '../../../test/support/programs/program.ts';
import { handleSignals } from './signals.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const FIRST =
  'Received signal, shutting down...\nThe current operation is allowed to finish; a second signal ends it now.\n';

const SECOND = 'Ending the current operation now; it has up to 5 seconds to clean up.\n';

/** Says what reaches it, and goes on until it is cancelled. */
async function listening(lines = ''): Promise<Program> {
  const program = await nodeProgram(`
    import { handleSignals } from './src/cli/terminal/signals.ts';
    const signals = handleSignals((message) => console.log(message));
    const life = setInterval(() => {}, 1000);
    signals.stop.addEventListener('abort', () => console.log('stop'));
    signals.cancel.addEventListener('abort', () => {
      console.log('cancel');
      clearInterval(life);
    });
    ${lines}
    console.log('ready');`);
  const started = startProgram([process.execPath, program], {});
  onTestFinished(() => started.signal('SIGKILL'));
  await started.says('ready');
  return started;
}

describe.each(SIGNALS)('%s', (signal) => {
  test('asks to finish the first time, and ends it the second time', async () => {
    const program = await listening();
    program.signal(signal);
    await program.says('stop');
    program.signal(signal);
    expect(await program.exited).toEqual({ code: 0, stdout: `ready\n${FIRST}stop\n${SECOND}cancel\n`, stderr: '' });
  });

  test('does again what it does to any program once it is released', async () => {
    const program = await listening('signals.release();');
    program.signal(signal);
    expect(await program.exited).toEqual({ code: signal, stdout: 'ready\n', stderr: '' });
  });
});

test('two different signals count as the first and the second', async () => {
  const program = await listening();
  program.signal('SIGHUP');
  await program.says('stop');
  program.signal('SIGTERM');
  expect(await program.exited).toMatchObject({ code: 0, stdout: `ready\n${FIRST}stop\n${SECOND}cancel\n` });
});

test('releasing leaves the listeners of others', () => {
  const others = SIGNALS.map((signal) => process.listenerCount(signal));
  const signals = handleSignals(() => undefined);
  expect(SIGNALS.map((signal) => process.listenerCount(signal))).toEqual(others.map((count) => count + 1));
  signals.release();
  expect(SIGNALS.map((signal) => process.listenerCount(signal))).toEqual(others);
});
