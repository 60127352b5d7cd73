/** What makes Gemini CLI host the loop: two hooks, and a command file for each command, which hands on what was typed. */
import { COMMANDS } from './commands.ts';
import { type HostFiles, shellLine } from './host-files.ts';

const TIMEOUT_IN_MS = 60_000;

export function geminiFiles(command: readonly string[]): HostFiles {
  const hook = { type: 'command', name: 'ralph', command: shellLine(command), timeout: TIMEOUT_IN_MS };
  return {
    folder: '.gemini',
    settings: 'settings.json',
    hooks: { BeforeAgent: { hooks: [hook] }, AfterAgent: { hooks: [hook] } },
    files: Object.fromEntries(Object.entries(COMMANDS).map(commandFile)),
    notes: NOTES,
  };
}

const NOTES = [
  'Gemini CLI reads hooks of a project only where the folder is trusted; --skip-trust is not enough, GEMINI_CLI_TRUST_WORKSPACE=true is.',
  'While it works it takes no command: press Esc, then type /cancel-ralph.',
  'After about ten answers that are the same it does not ask its model any more; the loop then ends.',
];

/** The whole of it is the prompt that the hook hears: with another word in it, it would not know what was typed. */
function commandFile([name, description]: [string, string]): [string, string] {
  const text = `description = ${JSON.stringify(description)}\nprompt = "/${name} {{args}}"\n`;
  return [`commands/${name}.toml`, text];
}
