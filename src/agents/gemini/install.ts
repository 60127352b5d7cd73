/** Installs the loop into Gemini CLI: hooks, and a command file for each command, which passes on the typed text. */
import { join } from 'node:path';
import { quoteWords } from '../../core/text/quote-word.ts';
import { COMMANDS, HOOK_SECONDS } from '../session/host.ts';
import type { SessionInstallation } from '../session/installations.ts';

export const gemini: SessionInstallation = {
  folder: '.gemini',
  userFolder: (home, { GEMINI_CLI_HOME }) => join(GEMINI_CLI_HOME || home, '.gemini'),
  settings: 'settings.json',
  allowsComments: true,
  hooks: (command) => {
    const line = withoutDollars(quoteWords(command));
    const hook = { type: 'command', name: 'ralph', command: line, timeout: HOOK_SECONDS * 1000 };
    return {
      BeforeAgent: { hooks: [hook] },
      AfterAgent: { hooks: [hook] },
      SessionStart: { matcher: 'resume', hooks: [hook] },
    };
  },
  // The typed text follows such a prompt unchanged; in place of `{{args}}`, it would lose line ends and spaces.
  files: () =>
    Object.fromEntries(
      Object.entries(COMMANDS).map(([name, description]) => [
        `commands/${name}.toml`,
        `description = ${JSON.stringify(description)}\nprompt = "/${name}"\n`,
      ]),
    ),
  notes: [
    'Gemini CLI reads hooks of a project only if the folder is trusted; --skip-trust is not enough, but GEMINI_CLI_TRUST_WORKSPACE=true is.',
    'While it works, it does not accept commands: press Esc, then type /cancel-ralph.',
    'After about ten identical answers, it stops calling its model; the loop then ends.',
  ],
};

/** Gemini CLI expands variables in its settings before a shell sees them, so a dollar in a path has to be printed. */
function withoutDollars(line: string): string {
  // A word with a dollar is in single quotes, which this text closes and reopens.
  return line.replaceAll('$', () => String.raw`'"$(printf '\044')"'`);
}
