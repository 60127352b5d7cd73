/** The task that every harness gets, unless the scenario says otherwise. */
import { resolve } from 'node:path';

const AGENT = resolve(import.meta.dirname, 'agent/claude');

const PROMPT = `Write the answer into answer.txt. When it is there, answer <response>DONE</response>.
If you can not go on without a person, answer <response>BLOCKED: why</response>.`;

/** `setup` prepares a fresh clone for its checks. `longestRunMs`: no honest run takes longer. */
const TASK = {
  prompt: PROMPT,
  promptFile: null,
  checks: [],
  setup: null,
  protect: [],
  iterations: 4,
  hangAfterMs: null,
  longestRunMs: 10_000,
  maxTokens: null,
  maxTimeMs: null,
  agent: AGENT,
  fallbackModel: null,
  endsWhenStuck: false,
};

export function taskOf({ project, task }) {
  return { ...TASK, ...project?.task, ...task };
}

/** The files in the work tree before the first run. */
export function filesOf({ project, files }) {
  return { ...(project?.files ?? { 'answer.txt': '?\n' }), ...files };
}

/** Whether the work is done, whatever a harness or a check says. `work`: the work tree as this process sees it. */
export function isTrue({ project, isTrue: own }, { work, read }) {
  const truth = own ?? project?.isTrue ?? (() => read('answer.txt').trim() === '42');
  return truth({ work, read });
}
