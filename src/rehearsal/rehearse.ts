/** Runs a command whose agent talks to a scripted model instead of its vendor's. */
import { type Environment, prepareEnvironment } from './environment.ts';
import { runCommand, type Stdio } from './run-command.ts';
import type { Script } from './script/script.ts';
import { type RecordedRequest, startScriptedModel } from './server/server.ts';
import { withThrowAwayFolder } from './throw-away-folder.ts';

export interface Rehearsal {
  readonly script: Script;
  /** Program and arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  /** Claude waits 3 s for an open, silent stdin: give it 'ignore' where there is no input. */
  readonly stdio: Stdio;
  /** A file that gets each request as a line of JSON while it happens. */
  readonly recordTo?: string;
}

export interface Rehearsed {
  /** The command's own, or 128 + n when signal n ended it. */
  readonly exitCode: number;
  readonly requests: readonly RecordedRequest[];
}

export async function rehearse({ script, command, env, cwd, stdio, recordTo }: Rehearsal): Promise<Rehearsed> {
  const model = await startScriptedModel(script, recordTo === undefined ? {} : { recordTo });
  try {
    return await withThrowAwayFolder(env, async (folder) => {
      const ready = prepareEnvironment({ env, url: model.url, folder, cwd });
      const exitCode = await runCommand({ command, env: ready, cwd, stdio });
      return { exitCode, requests: model.requests() };
    });
  } finally {
    await model.close();
  }
}
