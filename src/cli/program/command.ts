/** The command class of both programs: commander's, with our own help and our own error messages. */
import { type AddHelpTextContext, type AddHelpTextPosition, Command, type Help } from 'commander';
import { hasColor } from '../../config/color.ts';
import { OwnHelp, styledText } from './help.ts';

/** Why a command line was refused, in commander's words; `usage-error.ts` finds better ones. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    readonly command: Command,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export class OwnCommand extends Command {
  override createCommand(name?: string): OwnCommand {
    return new OwnCommand(name);
  }

  override createHelp(): Help {
    return Object.assign(new OwnHelp(), this.configureHelp());
  }

  override error(message: string, { code = '' }: { readonly code?: string } = {}): never {
    throw new Refused(this, code, message);
  }

  override addHelpText(position: AddHelpTextPosition, text: string | ((context: AddHelpTextContext) => string)): this {
    return super.addHelpText(position, typeof text === 'string' ? () => styledText(text.replace(/^\n?/, '\n')) : text);
  }
}

export function newProgram(name: string, description: string, version: string): OwnCommand {
  return new OwnCommand(name)
    .description(description)
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .showSuggestionAfterError(false)
    .configureOutput({
      getOutHasColors: () => hasColor(process.stdout.isTTY),
      getErrHasColors: () => hasColor(process.stderr.isTTY),
    })
    .exitOverride();
}

/** `ralph task run` */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
