/** Runs a command whose agent talks to a scripted model instead of its vendor's. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment, rehearsalConfig, rehearsalEnvironment } from './environment.ts';
import { runCommand, type Stdio } from './run-command.ts';
import type { Script } from './script.ts';
import { type RecordedRequest, startScriptedModel } from './server.ts';

export interface Rehearsal {
  readonly script: Script;
  /** Program and arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  /** Claude waits 3 s for an open, silent stdin: give it 'ignore' where there is no input. */
  readonly stdio: Stdio;
}

export interface Rehearsed {
  /** The command's own, or 128 + n when signal n ended it. */
  readonly exitCode: number;
  readonly requests: readonly RecordedRequest[];
}

export async function rehearse({ script, command, env, cwd, stdio }: Rehearsal): Promise<Rehearsed> {
  const model = await startScriptedModel(script);
  try {
    const configDir = await mkdtemp(join(tmpdir(), 'ralph-rehearsal-'));
    try {
      for (const [path, text] of rehearsalConfig(configDir, cwd)) await writeFile(path, text);
      const surroundings = rehearsalEnvironment({ env, url: model.url, configDir });
      const exitCode = await runCommand({ command, env: surroundings, cwd, stdio });
      return { exitCode, requests: model.requests() };
    } finally {
      // A straggler may still write while the folder is being emptied; hence the retries.
      await rm(configDir, { recursive: true, force: true, maxRetries: 5 });
    }
  } finally {
    await model.close();
  }
}
