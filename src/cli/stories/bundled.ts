/** `ralph stories` as one file, for the plugin. It does not call process.exit: its commands close what they open. */
import { version } from '../../../package.json';
import { newProgram } from '../program/command.ts';
import { reportError } from '../program/report-error.ts';
import { addStories } from './program.ts';

async function main(): Promise<void> {
  const program = newProgram('ralph', '', version);
  const stories = program.command('stories').description('Stories with a fresh-context review of each.');
  addStories(stories, { here: import.meta.dirname, self: null });
  // A reader that has gone ends the output, not the work.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    await program.parseAsync(['stories', ...process.argv.slice(2)], { from: 'user' });
  } catch (error) {
    process.exitCode = await reportError(error, 'ralph', async () => [program]);
  }
}

void main();
