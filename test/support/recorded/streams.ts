/** What the real agents printed in the tests of the tier `agents`: recorded there, never written by hand. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { profileFor } from '../../../src/agents/index.ts';
import { type RunOutput, readRunOutput } from '../../../src/agents/run-output-reader.ts';

const FIXTURES = resolve(import.meta.dirname, '../../fixtures/streams');

export interface RecordedStream {
  readonly agent: string;
  /** Situation, iteration, purpose and try: `guardrail-2-work-1`. */
  readonly run: string;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export function recordedStreams(): RecordedStream[] {
  return readdirSync(FIXTURES).flatMap((agent) =>
    readdirSync(join(FIXTURES, agent))
      .filter((file) => file.endsWith('.out'))
      .map((file) => recordedStream(agent, file.slice(0, -'.out'.length))),
  );
}

export function recordedStream(agent: string, run: string): RecordedStream {
  const path = join(FIXTURES, agent, run);
  const stderrFile = `${run}.err`;
  const hasStderr = readdirSync(join(FIXTURES, agent)).includes(stderrFile);
  return {
    agent,
    run,
    stdout: readFileSync(`${path}.out`),
    stderr: hasStderr ? readFileSync(`${path}.err`, 'utf8') : '',
  };
}

/** Reads a stream as the engine does: stdout in chunks, stderr line by line. */
export function heardFrom({ agent, run, stderr }: RecordedStream, stdout: Buffer): RunOutput {
  const mode = run.includes('-message-') ? 'text' : 'stream';
  const parser = profileFor(agent).parser({ command: agent, flags: [], mode });
  const audience = { watches: mode === 'stream', show: () => undefined };
  const reader = readRunOutput(parser, { tag: 'response', multiline: mode === 'text' }, '', audience);
  reader.push(stdout);
  for (const line of stderr.split('\n')) reader.pushStderr(line);
  return reader.end();
}
