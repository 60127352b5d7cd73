/** The script that a project starts from: its own completion response, guardrails and commits, with words for a reader. */

export interface StarterProject {
  readonly completionResponse: string;
  /** The commands. */
  readonly guardrails: readonly string[];
  readonly commits: boolean;
}

/** YAML. It leaves one file, in the work tree where also a sandboxed agent may write, and ends a loop also where a guardrail keeps failing. */
export function starterText({ completionResponse, guardrails, commits }: StarterProject): string {
  const done = `Finished. <response>${completionResponse}</response> <promise>${completionResponse}</promise>`;
  return [
    OPENING,
    'turns:',
    ...(commits ? [COMMIT_MESSAGE] : []),
    ...(guardrails.length > 0 ? [GUARDRAILS_OPENING, ...guardrails.map(guardrailTurn)] : []),
    WORK,
    `  # \`ralph run\` listens for <response>, \`ralph session\` for <promise>.
  - say: ${quoted(done)}
`,
    `# Whatever else is asked, as often as it is asked.
otherwise:
  say: ${quoted(done)}
`,
  ].join('\n');
}

const OPENING = `# What the model answers in a rehearsal of this project, for example:
#
#   ralph rehearse -- ralph run -p "Write a note." -m 3
#
# A request is answered by the first turn that was not played yet and whose \`match\`, if it has one, stands in what
# the agent was told last: the prompt, or what a tool brought. In a turn:
#
#   say      the model's words
#   run      a shell command, by whatever tool for it the agent has; a list runs one after the other
#   write    a file: { path: …, content: … }
#   times    how often it is played, once by default
#   fault    how the reply goes wrong: { status: 529 }, { cut: event }, { stall: before, forMs: 5000 }
`;

const COMMIT_MESSAGE = `  # What passes all guardrails is committed; the agent is asked for the message.
  - match: Provide a short imperative commit message
    times: 100
    say: Write a note
`;

const GUARDRAILS_OPENING = `  # The output of a guardrail that failed stands in the next prompt. Here the model would mend what it found.`;

const WORK = `  # The first iteration: some work, and the word that it is done.
  - say: I write a note.
    write: { path: rehearsal-note.txt, content: "The model was here.\\n" }
    run: cat rehearsal-note.txt
`;

function guardrailTurn(command: string): string {
  return `  - match: ${quoted(`Guardrail "${command}" failed`)}
    say: I mend what the guardrail found.
    run: echo "mended"
`;
}

/** A text in JSON's quotes is one in YAML's. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
