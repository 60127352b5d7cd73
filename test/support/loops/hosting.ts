/** Runs loops of `ralph run` in this process: the agent is a small script; git and the journal are real. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Environment, readEnvironment } from '../../../src/config/environment.ts';
import type { LoopTerms } from '../../../src/core/budget/terms.ts';
import type { WorkState } from '../../../src/core/closing/closing-summary.ts';
import type { LoopState } from '../../../src/core/state.ts';
import type { Driven, LoopEvent } from '../../../src/engine/drive.ts';
import { type ContinueWith, runLoop } from '../../../src/loops/run/loop.ts';
import { type RunRequest, runRequest } from '../../../src/loops/run/request.ts';
import { resumeRun } from '../../../src/loops/run/resume.ts';
import type { RunData } from '../../../src/loops/run/state.ts';
import { readJournal } from '../../../src/state/journal.ts';
import { journalPath, loopFolder, loopsFolder } from '../../../src/state/paths.ts';
import { testFolder } from '../folder.ts';
import { endProcessesOf } from '../programs/processes.ts';

export interface Hosting {
  readonly cwd: string;
  readonly environment: Environment;
  readonly events: LoopEvent<RunData>[];
  readonly said: string[];
  readonly left: { readonly state: LoopState<RunData>; readonly work: WorkState }[];
  readonly stop: AbortController;
  readonly cancel: AbortController;
  run(request?: Partial<RunRequest>): Promise<Driven>;
  resume(change?: ContinueWith, id?: string | null, terms?: LoopTerms): Promise<Driven>;
  id(): string;
  journal(): readonly string[];
  prompts(): string;
  /** Calls `act` at the first event that `isMeant` accepts. */
  at(isMeant: (event: LoopEvent<RunData>) => boolean, act: () => void): void;
}

/** `play` is the agent: a shell script with the number of its start in `$n` and its prompt in `$prompt`. */
export function hosting(play: string, settings: object = {}, variables: Record<string, string> = {}): Hosting {
  const folder = testFolder();
  onTestFinished(() => void endProcessesOf(folder));
  const cwd = join(folder, 'work');
  mkdirSync(join(cwd, '.ralph'), { recursive: true });
  const agent = join(folder, 'agent');
  const script = `#!/bin/sh\necho x >>${folder}/starts; n=$(wc -l <${folder}/starts)\nfor prompt; do :; done; printf %s "$prompt" >>${folder}/prompts\n`;
  writeFileSync(agent, `${script}${play}\n`, { mode: 0o755 });
  const all = { agent: { command: agent, flags: [] }, maximumIterations: 5, failureBackoffMs: 1, ...settings };
  writeFileSync(join(cwd, '.ralph/settings.json'), JSON.stringify(all));
  const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const env = { PATH: process.env.PATH, HOME: folder, XDG_STATE_HOME: join(folder, 'state'), ...who, ...variables };
  execFileSync('git', ['init', '-q'], { cwd, env });
  const environment = readEnvironment({ ...env, RALPH_CONTAINMENT: 'group' });
  const events: LoopEvent<RunData>[] = [];
  const said: string[] = [];
  const left: Hosting['left'][number][] = [];
  const listeners = new Set<(event: LoopEvent<RunData>) => void>();
  let stop = new AbortController();
  let cancel = new AbortController();
  const options = () => ({
    cwd,
    environment,
    emit: (event: LoopEvent<RunData>) => {
      events.push(event);
      for (const listener of listeners) listener(event);
    },
    tell: (line: string) => void said.push(line),
    left: (state: LoopState<RunData>, work: WorkState) => void left.push({ state, work }),
    stop: stop.signal,
    cancel: cancel.signal,
  });
  const id = (): string => readdirSync(loopsFolder(environment.root))[0] ?? '';
  return {
    cwd,
    environment,
    events,
    said,
    left,
    get stop() {
      return stop;
    },
    get cancel() {
      return cancel;
    },
    run: (request = {}) => runLoop(runRequest({ prompt: 'Do it.', ...request }), options()),
    resume(change = {}, which = null, terms = {}) {
      stop = new AbortController();
      cancel = new AbortController();
      return resumeRun(which, { ...options(), terms }, change);
    },
    id,
    journal: () =>
      readJournal(journalPath(loopFolder(environment.root, id()))).records.map(({ result }) => result.kind),
    prompts: () => readFileSync(join(folder, 'prompts'), 'utf8'),
    at(isMeant, act) {
      const listener = (event: LoopEvent<RunData>): void => {
        if (!isMeant(event)) return;
        listeners.delete(listener);
        act();
      };
      listeners.add(listener);
    },
  };
}
