/** Text that is decoded and run at once: neither people nor the guard see what runs. */
import { block, type Category } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';
import { programFlow } from '../run/shells.ts';

const DECODERS = /^(?:uudecode|rev|tr|gunzip|zcat|bunzip2|xzcat|unxz|base32)$/;
/** A call, not merely the word: a script that only prints base64 is none. */
const RUNS_CODE = /\b(?:exec|eval|compile|Function|system|popen|spawn\w*|execSync)\b\s*[(\s'"]/;
const DECODES =
  /b64decode|base64|fromhex|unhexlify|\bpack\b|atob|fromCharCode|\bchr\b|rot13|decompress|decode64|marshal/;

export const obfuscation: Category = {
  number: 12,
  name: 'obfuscated execution',
  instead: 'Write the command in plain text.',
  look(command, _context, seen) {
    const flow = programFlow(command, seen);
    const isInterpreter = /^(?:python|node|perl|ruby|php|bun|deno)[\d.]*$/.test(command.name);
    const isCode = isInterpreter && command.words.some((text) => RUNS_CODE.test(text) && DECODES.test(text));
    return isCode || flow?.from.some(isDecoder) === true ? block('decodes text and runs it') : null;
  },
};

function isDecoder({ name, args, words }: Command): boolean {
  const options = readOptions(args);
  if (name === 'base64') return options.has('d', 'D', 'decode');
  if (name === 'xxd') return options.has('r', 'revert');
  if (name === 'openssl') return words.includes('-d') || words.includes('base64');
  if (name === 'gzip' || name === 'xz') return options.has('d', 'decompress');
  return DECODERS.test(name);
}
