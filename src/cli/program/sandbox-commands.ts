/** Declares the hidden commands with which a sandboxed loop or worker starts its programs. */
import type { Command } from 'commander';
import type { SandboxHelperFlags } from '../../runners/sandbox/helper/serve.ts';
import type { SandboxExecFlags } from '../../runners/sandbox/inside.ts';
import { exitWith } from './declare.ts';
import { collect } from './values.ts';

export function addSandboxExec(program: Command): void {
  program
    .command('sandbox-exec', { hidden: true })
    .requiredOption('--policy <file>')
    .requiredOption('--refusals <file>')
    .option('--write <file>', 'a file of ours that may be written', collect)
    .option('--own-terminal', "the terminal is the program's alone")
    .option('--only-reads', 'nothing that the loop works on may be written')
    .option('--grace <ms>', 'time between SIGTERM and SIGKILL for what the program leaves behind')
    .argument('<command...>')
    .action(async (command: string[], flags: SandboxExecFlags) => {
      const { sandboxExec } = await import('../../runners/sandbox/inside.ts');
      const { readEnvironment } = await import('../../config/environment.ts');
      return exitWith(sandboxExec(flags, command, readEnvironment().variables));
    });
  program
    .command('sandbox-helper', { hidden: true })
    .requiredOption('--policy <file>')
    .requiredOption('--grace <ms>')
    .action(async (flags: SandboxHelperFlags) => {
      const { serveSandbox } = await import('../../runners/sandbox/helper/serve.ts');
      const { readEnvironment } = await import('../../config/environment.ts');
      const ends = { input: process.stdin, output: process.stdout };
      return exitWith(serveSandbox(flags, readEnvironment().variables, ends));
    });
}
