/** The flags that put a loop into a sandbox; every loop kind that starts agents takes them. */
import { type Command, Option } from 'commander';
import { collect } from '../values.ts';

/** Their names, for the groups of `--help`. */
export const SANDBOX_FLAGS: readonly string[] = [
  'sandbox',
  'no-sandbox',
  'allow-host',
  'allow-write',
  'deny-write',
  'deny-read',
];

/** `without`: how the help of the loop kind describes `--no-sandbox`. */
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
