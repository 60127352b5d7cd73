/** `ralph stories` as one file, for the plugin. It has no process.exit: a command closes what it opens. */
import { Command, CommanderError } from 'commander';
import { version } from '../../../package.json';
import { addStories } from './program.ts';

async function main(): Promise<void> {
  const program = new Command('ralph').version(version, '-v, --version').showHelpAfterError().exitOverride();
  const stories = program.command('stories').description('Stories with a fresh-context review of each.');
  addStories(stories, { here: import.meta.dirname, self: null });
  // A reader that went away ends the showing, not the work.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    await program.parseAsync(['stories', ...process.argv.slice(2)], { from: 'user' });
  } catch (error) {
    // Commander has printed its own message; asking for help is no error.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else throw error;
  }
}

void main();
