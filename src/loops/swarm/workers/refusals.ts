/** What the sandbox of a worker without a loop has refused it. */
import { join } from 'node:path';
import { describeRefusal, readRefusals } from '../../../runners/sandbox/refusals.ts';
import { printable } from '../../../stream/printable.ts';
import { type Home, sandboxFolder } from './home.ts';

export function refusalsFile(home: Home, name: string): string {
  return join(sandboxFolder(home, name), 'refused');
}

/** In sentences for a person, safe to print. */
export function refusalsOf(home: Home, name: string): string[] {
  return readRefusals(refusalsFile(home, name)).map((refusal) => printable(describeRefusal(refusal)));
}
