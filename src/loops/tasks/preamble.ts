/** The text that stands before a task's own prompt: where the run's things are, and how to talk and to finish. */
import { type RunOwner, runVariables } from './agent-environment.ts';

/** Without tools nothing can be said on the bus by a command, and no job be asked for. */
export function withPreamble(owner: RunOwner, runId: string, hasTools: boolean, prompt: string): string {
  const variables = runVariables(owner, runId);
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return `${lines.join('\n')}
Write output.md to ${variables.JRUN_RUN_FOLDER}/output.md

${hasTools ? tools(owner.agent) : ''}## Completion
When done, create: ${owner.folder}/DONE
Without that file you are started again, whatever you say. To wait for somebody instead, exit with code 42 or create
${owner.folder}/WAIT_WITHOUT_RESTART

---

${prompt.trim()}
`;
}

function tools(agent: string): string {
  return `## Message Bus
Say how it goes, in short messages that others read while you work:
  ralph bus post --type PROGRESS --body "what you are at"
  ralph bus post --type FACT --body "something you found out or finished"
  ralph bus post --type DECISION --body "what you chose, and why"
  ralph bus post --type ERROR --body "what went wrong"
Types: FACT, PROGRESS, DECISION, ERROR, QUESTION, INFO
The bus is found by JRUN_MESSAGE_BUS; nothing else has to be given.

## Sub-Agent Spawning (RLM Pattern)
Work that falls into independent parts can be given to agents of its own, several at a time:
  ralph job --project $JRUN_PROJECT_ID --task $JRUN_TASK_ID --parent-run-id $JRUN_ID --agent ${agent} --prompt "one part, described whole"
Each ends with an output.md in its run's folder. Find the natural borders first, start the parts in parallel, then put
their results together. You may end before they do: they are waited for.

`;
}
