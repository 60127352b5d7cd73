/** Declares `ralph receipt` and `ralph verify`. */
import { type Command, Option } from 'commander';
import { declare, exitWith } from '../program/declare.ts';
import { self } from '../program/self.ts';
import { collect } from '../program/values.ts';
import type { ReceiptFlags } from './receipt.ts';
import type { VerifyFlags } from './verify.ts';

export function addReceiptCommands(program: Command): void {
  declare(program, 'receipt', 'Show what was checked in a finished loop, and at which commit.', RECEIPT_EXAMPLES)
    .argument('[loop]', 'id of a loop or its beginning, worker or task (default: the newest here that is done)')
    .addOption(
      new Option('--format <format>', 'format of the receipt').choices(['text', 'json', 'markdown', 'trailer']),
    )
    .option('-o, --output <file>', 'write it to a file: .json, .md or .txt')
    .option('--sign <key>', 'sign the JSON with an ssh key; needs -o, and writes <file>.sig')
    .action(async (loop: string | undefined, flags: ReceiptFlags) => {
      const context = (await import('../loops/context.ts')).loopsContext();
      return exitWith((await import('./receipt.ts')).receiptCommand(loop ?? null, flags, context));
    });

  declare(program, 'verify', 'Run the checks of a receipt again, and say what differs.', VERIFY_EXAMPLES)
    .argument('<receipt>', 'a receipt in JSON')
    .option(
      '--signers <file>',
      "require a signature by one of the keys in this file, in the format of ssh's allowed_signers",
    )
    .option('--setup <command>', "command that prepares a fresh clone, instead of the receipt's")
    .option('--include <pattern>', 'let the checks use ignored files of this directory (repeatable)', collect)
    .option('--no-sandbox', "run without the operating system's sandbox")
    .option('--allow-host <host>', 'let the sandbox reach a host (repeatable)', collect)
    .option('-y, --yes', 'do not ask before the commands of the receipt are run')
    .option('--json', 'print JSON')
    .action(async (receipt: string, flags: VerifyFlags) => {
      const context = (await import('../loops/context.ts')).loopsContext();
      return exitWith((await import('./verify.ts')).verifyCommand(receipt, flags, { ...context, self: self() }));
    });
}

const RECEIPT_EXAMPLES = `
The JSON is an in-toto Statement. The trailer names the SHA-256 of that JSON.

Examples:
  ralph receipt                        # of the newest loop here that is done
  ralph receipt k3x9 -o receipt.json --sign ~/.ssh/id_ed25519
  ralph receipt --format markdown >>pull-request.md
  git commit --trailer "$(ralph receipt --format trailer)"`;

const VERIFY_EXAMPLES = `
It checks out the commit of the receipt from the repository here into a clean
folder, and runs the setup and the checks there. A receipt can come from anyone:
its commands are shown first, and run in a sandbox if there is one.

Exits with 0 if all checks pass with the results in the receipt, with 1 if not
or if its signature is not valid, and with 2 if they cannot be run. A check may
fail if the receipt says that it fails and does not count, as long as another
check counts.

Examples:
  ralph verify receipt.json
  ralph verify receipt.json --signers .github/allowed_signers --yes`;
