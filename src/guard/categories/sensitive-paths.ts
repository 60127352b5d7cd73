/** Sensitive files, written by a command. */
import type { Category } from '../category.ts';
import { writesSensitively } from '../sensitive.ts';
import { writesOf } from '../writes.ts';

export const sensitivePaths: Category = {
  number: 18,
  name: 'sensitive path',
  instead: 'Keep to the project’s own files; .claude/rules/ is open for lasting notes.',
  look(command, context) {
    for (const path of writesOf(command)) {
      const concern = writesSensitively(path, command.cwd, context);
      if (concern !== null) return concern;
    }
    return null;
  },
};
