/** Sensitive files, written by a command. */
import { block, type Category, type Concern, type Context } from '../category.ts';
import type { Command } from '../command.ts';
import { zoneOf } from '../paths.ts';
import { unpacksInto } from '../run/archives.ts';
import { writesSensitively } from '../sensitive.ts';
import { writesOf } from '../writes.ts';

export const sensitivePaths: Category = {
  number: 18,
  name: 'sensitive path',
  instead: 'Change only the project’s own files; notes for later sessions can go into .claude/rules/.',
  look(command, context) {
    for (const path of writesOf(command)) {
      const concern = writesSensitively(path, command.cwd, context);
      if (concern !== null) return concern;
    }
    return unpacksOverFolders(command, context);
  },
};

/** An archive says itself which files it has: in a folder that holds settings or programs it may replace any of them. */
function unpacksOverFolders(command: Command, context: Context): Concern | null {
  const into = unpacksInto(command);
  if (into === null) return null;
  const zone = zoneOf(into.text, command.cwd, context);
  if (zone !== 'root' && zone !== 'system') return writesSensitively(into.text, command.cwd, context);
  return block(
    `unpacks an archive over ${into.text}`,
    'Unpack it into an empty folder of the project and look at it there.',
  );
}
