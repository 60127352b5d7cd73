/** Seed 000's loop: runs an agent in a tmux window again and again, until its output matches a pattern. */
import { canContinue, type Ending } from '../../../core/ending.ts';
import { loopMachine } from '../../../core/machine/machine.ts';
import type { LoopRules, NoSteps } from '../../../core/rules.ts';
import type { Duration } from '../../../core/time.ts';
import type { SandboxRequest } from '../../../runners/sandbox/request.ts';

export interface RalphRequest {
  readonly name: string;
  /** The folder of the worker's files: `~/.swarm`, or SWARM_HOME. */
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
  /** Decided when the loop began; absent in loops of older releases. */
  readonly sandbox?: SandboxRequest | null;
  /** How long a second is; tests shorten it. */
  readonly secondMs: Duration;
}

export type PromptVia = 'paste' | 'stdin' | 'arg';

/** What is read before every iteration: the prompt file, and the values that people edit in the state file. */
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

/** The values that people can edit in the state file, as the loop knows them. */
export function editable({ inputs, request }: RalphData): Omit<RalphInputs, 'prompt'> {
  const { maxIterations, inactivityTimeout, donePattern } = request;
  return inputs ?? { max_iterations: maxIterations, inactivity_timeout: inactivityTimeout, done_pattern: donePattern };
}

/** A loop whose worker was killed cannot be resumed. */
export const canResume = (ending: Ending): boolean => canContinue(ending) && ending.kind !== 'stopped';

const ralphRules: LoopRules<RalphData, NoSteps, RalphRequest, RalphInputs> = {
  loopKind: 'swarm',
  begin: (request) => ({ request, inputs: null }),
  about: (data) => ({
    task: data.inputs?.prompt ?? data.request.promptFile,
    name: data.request.name,
    limit: editable(data).max_iterations,
    agent: data.request.command[0],
  }),
  takeInputs: (data, inputs) => ({ ...data, inputs }),
  limit: (data) => editable(data).max_iterations,
  rereadsLimit: 'at-once',
  backoffUnit: (data) => data.request.secondMs,
  agent: ({ data }) => {
    const [command, ...flags] = data.request.command;
    return { command, flags, mode: 'text' };
  },
  prompt: ({ data }) => data.inputs?.prompt ?? '',
  listen: () => ({ tag: '', multiline: false }),
  screen: ({ data }) => ({
    inactivityMs: editable(data).inactivity_timeout * data.request.secondMs,
    donePattern: editable(data).done_pattern,
  }),
  afterRun: ({ data }, _purpose, ran) => ({
    data,
    go: ran.endedBy === 'done-pattern' ? { to: 'end', ending: { kind: 'done' } } : { to: 'next-iteration' },
  }),
};

export const ralphMachine = loopMachine(ralphRules);
