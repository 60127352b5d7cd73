/** How `swarm`'s commands are declared: with an example, and with code that is loaded when the command is called. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Swarm } from '../../loops/swarm/workers/swarm.ts';

/** The code of a command: it takes the swarm and what commander has read, and returns an exit code, or nothing for 0. */
type Code<Args extends unknown[]> = (swarm: Swarm, ...args: Args) => unknown;

/** Makes commander's action of a command's code, which is picked from a module that is loaded now. */
export type Calls = <Module, Args extends unknown[]>(
  load: () => Promise<Module>,
  pick: (module: Module) => Code<Args>,
) => (...args: Args) => Promise<void>;

export function callsIn(exitWith: (code: Promise<number>) => Promise<void>): Calls {
  return (load, pick) =>
    (...args) => {
      const run = async (): Promise<number> => {
        const [{ runInSwarm }, module] = await Promise.all([import('./context.ts'), load()]);
        return runInSwarm(async (swarm) => {
          const code = await pick(module)(swarm, ...args);
          return typeof code === 'number' ? code : 0;
        });
      };
      return exitWith(run());
    };
}

/** `usage` is the command's name and, behind it, the worker that it is about: `<name>` or `[name]`. */
export function declare(parent: Command, usage: string, description: string, example?: string): Command {
  const [name = '', worker] = usage.split(' ');
  const command = parent.command(name).description(description);
  if (worker !== undefined) command.argument(worker, 'the worker');
  return example === undefined ? command : command.addHelpText('after', `\nExample:\n  ${example}`);
}

export function choice(flags: string, description: string, [first, ...others]: readonly string[]): Option {
  return new Option(flags, description).choices([first ?? '', ...others]).default(first);
}

export function seconds(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number < 0) {
    throw new InvalidArgumentError('It must be a number of seconds.');
  }
  return number;
}
