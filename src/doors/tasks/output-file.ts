/** A run's `output.md`: what the agent wrote there itself, else its last words, else all that it printed. */
import { copyFileSync, createReadStream, existsSync, writeFileSync } from 'node:fs';
import { adapterFor } from '../../agents/find.ts';
import type { AgentChoice } from '../../core/action.ts';
import type { AgentEvent } from '../../core/events.ts';
import { textSplitter } from '../../stream/text-lines.ts';
import { runFile } from './task-folder.ts';

export async function completeOutput(run: string, agent: AgentChoice): Promise<void> {
  const output = runFile.output(run);
  const transcript = runFile.stdout(run);
  if (existsSync(output) || !existsSync(transcript)) return;
  const words = adapterFor(agent.command).parser(agent).hasStructure ? await lastWords(transcript, agent) : null;
  if (words === null) copyFileSync(transcript, output);
  else writeFileSync(output, words.endsWith('\n') ? words : `${words}\n`);
}

/** Null when nothing in it was an answer. */
async function lastWords(transcript: string, agent: AgentChoice): Promise<string | null> {
  const parser = adapterFor(agent.command).parser(agent);
  let said = '';
  let result = '';
  const take = (event: AgentEvent): void => {
    if (event.type === 'text') said = event.text;
    if (event.type === 'result') result = event.text;
  };
  const lines = textSplitter({
    onLine: (line) => {
      for (const event of parser.parse(line)) take(event);
    },
    onLongLine: () => {
      // A line beyond every bound holds no answer.
    },
  });
  for await (const chunk of createReadStream(transcript)) lines.push(chunk as Buffer);
  lines.end();
  for (const event of parser.end?.() ?? []) take(event);
  return result.trim() || said.trim() || null;
}
