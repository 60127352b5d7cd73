/** Text that is decoded and run in one breath: nobody, the guard included, sees what runs. */
import { block, type Category } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';
import { programFlow } from '../run/shells.ts';

const DECODERS = ['uudecode', 'rev', 'tr', 'gunzip', 'zcat', 'bunzip2', 'xzcat', 'unxz', 'base32'];
const DECODED_CODE = /\b(?:exec|eval|compile|Function|system|popen|spawn\w*|execSync)\b/;
const DECODING =
  /b64decode|base64|fromhex|unhexlify|\bpack\b|atob|fromCharCode|\bchr\b|rot13|decompress|decode64|marshal/;

export const obfuscation: Category = {
  number: 12,
  name: 'obfuscated execution',
  instead: 'Write the command in plain text.',
  look(command, _context, seen) {
    const flow = programFlow(command, (path) => seen.written(path, command.cwd));
    if (flow?.from.some(isDecoder) === true) return block('decodes text and runs it');
    const isCode = command.args.some(({ text }) => DECODED_CODE.test(text) && DECODING.test(text) && isCalled(text));
    const isInterpreter = /^(?:python|node|perl|ruby|php|bun|deno)[\d.]*$/.test(command.name);
    return isInterpreter && isCode ? block('decodes text and runs it') : null;
  },
};

/** Both words as calls: a script that merely prints base64 is none. */
function isCalled(code: string): boolean {
  return /\b(?:exec|eval|compile|Function|system|popen|spawn\w*|execSync)\b\s*[(\s'"]/.test(code);
}

function isDecoder(command: Command): boolean {
  const options = readOptions(command.args);
  if (command.name === 'base64') return options.has('d', 'D', 'decode');
  if (command.name === 'xxd') return options.has('r', 'revert');
  if (command.name === 'openssl') return command.args.some(({ text }) => text === '-d' || text === 'base64');
  if (command.name === 'gzip' || command.name === 'xz') return options.has('d', 'decompress');
  return DECODERS.includes(command.name);
}
