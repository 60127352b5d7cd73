/** A further kind of check, added as CONTRIBUTING.md says: one new file, and one line in a list. */

export const EVEN_FILE = 'src/checks/even.ts';

/** Its output contains the unescaped text of the file, which an agent wrote. */
export const EVEN_SOURCE = `/** Passes when a file holds an even number. */
import { join } from 'node:path';
import { readPlainText } from '../process/files.ts';
import { checkKind } from './kind.ts';

export const even = checkKind({
  kind: 'even',
  keys: {
    file: { is: 'text', what: 'The file with the number.' },
    least: { is: 'number', what: 'The smallest number that counts.', optional: true },
  },
  label: ({ file }) => \`even number in \${file}\`,
  run: async ({ file, least = 0 }, { cwd }) => {
    const text = readPlainText(join(cwd, file)).trim();
    const number = Number.parseInt(text, 10);
    const is = number % 2 === 0 && number >= least ? 'passed' : 'failed';
    return { outcome: { is, how: \`\${text} is \${number % 2 === 0 ? 'even' : 'odd'}\` }, log: \`read \${text}\\n\` };
  },
});
`;

export const KINDS_FILE = 'src/checks/kinds.ts';

export const LAST_LINE = "export { command } from './command.ts';\n";

export const EVEN_LINE = "export { even } from './even.ts';\n";
