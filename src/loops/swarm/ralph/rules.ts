/** Seed 000's loop: an agent in a tmux window, again and again, until its output matches a pattern. */

import type { Json } from '../../../core/json.ts';
import { loopMachine } from '../../../core/machine.ts';
import type { Created } from '../../../core/record.ts';
import type { LoopRules } from '../../../core/rules.ts';
import type { Duration } from '../../../core/time.ts';
import type { SandboxRequest } from '../../../runners/sandbox/request.ts';

/** What the loop was started with. */
export interface RalphRequest {
  readonly name: string;
  /** Where the worker's files are: `~/.swarm`, or where SWARM_HOME says. */
  readonly home: string;
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly session: string;
  readonly socket: string | null;
  readonly promptFile: string;
  readonly promptVia: PromptVia | null;
  readonly maxIterations: number;
  readonly inactivityTimeout: number;
  readonly donePattern: string | null;
  readonly readyTimeout: number;
  /** Settled when the loop began; a loop of an earlier release has none. */
  readonly sandbox?: SandboxRequest | null;
  /** How long a second is; tests shorten it. */
  readonly secondMs: Duration;
}

/** How the prompt reaches the agent. */
export type PromptVia = 'paste' | 'stdin' | 'arg';

/** What is read before every iteration: the prompt file, and what people have edited in the state file. */
export interface RalphInputs {
  readonly prompt: string;
  readonly max_iterations: number;
  readonly inactivity_timeout: number;
  readonly done_pattern: string | null;
}

export interface RalphData {
  readonly request: RalphRequest;
  readonly inputs: RalphInputs | null;
}

const ralphRules: LoopRules<RalphData> = {
  loopKind: 'swarm',
  // Written by this door's own start.
  begin: (created: Created) => ({ request: created.options as unknown as RalphRequest, inputs: null }),
  // Written by this door's own reader.
  takeInputs: (data, inputs: Json) => ({ ...data, inputs: inputs as unknown as RalphInputs }),
  limit: (data) => data.inputs?.max_iterations ?? data.request.maxIterations,
  rereadsLimit: 'at-once',
  backoffUnit: (data) => data.request.secondMs,
  agent: ({ data }) => {
    const [command, ...flags] = data.request.command;
    return { command, flags, mode: 'text' };
  },
  prompt: ({ data }) => data.inputs?.prompt ?? '',
  listen: () => ({ tag: '', multiline: false }),
  timeout: () => null,
  screen: ({ data }) => ({
    inactivityMs: (data.inputs?.inactivity_timeout ?? data.request.inactivityTimeout) * data.request.secondMs,
    donePattern: data.inputs === null ? data.request.donePattern : data.inputs.done_pattern,
  }),
  afterRun: ({ data }, _purpose, ran) => ({
    data,
    go: ran.endedBy === 'done-pattern' ? { to: 'end', ending: { kind: 'done' } } : { to: 'next-iteration' },
  }),
  check: unused,
  publish: unused,
  afterCheck: unused,
  afterPublish: unused,
};

export const ralphMachine = loopMachine(ralphRules);

function unused(): never {
  throw new Error('this loopKind checks and publishes nothing');
}
