/** The flags that put a loop into a sandbox; every loop kind that starts agents takes them. */
import { type Command, Option } from 'commander';
import type { SandboxHelperFlags } from '../runners/sandbox/helper/serve.ts';
import type { SandboxExecFlags } from '../runners/sandbox/inside.ts';
import { exitWith } from './arguments.ts';
import { collect } from './program/declare.ts';

/** By their names, for the groups of a help. */
export const SANDBOX_FLAGS: readonly string[] = [
  'sandbox',
  'no-sandbox',
  'allow-host',
  'allow-write',
  'deny-write',
  'deny-read',
];

/** A loop kind may have words of its own for what it does without a word, and for what stands in for a sandbox. */
export function addSandboxFlags(command: Command, without = 'run without a sandbox (the default)'): Command {
  const kinds = "docker (the default kind), os (the operating system's own) or auto (the strongest available)";
  const sandbox = new Option('--sandbox [kind]', `run in a sandbox: ${kinds}`);
  return command
    .addOption(sandbox.choices(['docker', 'os', 'auto']).preset('docker'))
    .option('--no-sandbox', without)
    .option('--allow-host <host>', 'let the sandbox reach a host, such as *.example.com or localhost:8080', collect)
    .option('--allow-write <path>', 'let the sandbox write to a path', collect)
    .option('--deny-write <path>', 'make a path read-only in the sandbox, such as the tests', collect)
    .option('--deny-read <path>', 'hide a path from the sandbox', collect);
}

/** Hidden: what a sandboxed loop or worker starts its programs with. */
export function addSandboxExec(program: Command): void {
  program
    .command('sandbox-exec', { hidden: true })
    .requiredOption('--policy <file>')
    .requiredOption('--refusals <file>')
    .option('--write <file>', 'a file of ours that may be written', collect)
    .option('--own-terminal', "the terminal is the program's alone")
    .option('--grace <ms>', 'time between SIGTERM and SIGKILL for what the program leaves behind')
    .argument('<command...>')
    .action(async (command: string[], flags: SandboxExecFlags) => {
      const { sandboxExec } = await import('../runners/sandbox/inside.ts');
      const { readEnvironment } = await import('../config/environment.ts');
      return exitWith(sandboxExec(flags, command, readEnvironment().variables));
    });
  program
    .command('sandbox-helper', { hidden: true })
    .requiredOption('--policy <file>')
    .requiredOption('--grace <ms>')
    .action(async (flags: SandboxHelperFlags) => {
      const { serveSandbox } = await import('../runners/sandbox/helper/serve.ts');
      const { readEnvironment } = await import('../config/environment.ts');
      const ends = { input: process.stdin, output: process.stdout };
      return exitWith(serveSandbox(flags, readEnvironment().variables, ends));
    });
}
