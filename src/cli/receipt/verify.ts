/** `ralph verify`: runs the checks of a receipt again in a clean checkout of this repository, and says what differs. */
import { EXIT_INTERRUPTED } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import { type ComparedRow, compareReceipt, isReproduced } from '../../core/proof/compare-receipt.ts';
import type { Receipt } from '../../core/proof/receipt.ts';
import { placeWords } from '../../core/proof/receipt.ts';
import { verdictWords } from '../../core/proof/receipt-text.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import { openVerifier, type Verifier } from '../../engine/verify.ts';
import { plainTextIfThere } from '../../process/files.ts';
import { parseReceipt } from '../../proof/receipts/receipt-schema.ts';
import { checkSignature, type SignatureFound, signatureFile } from '../../proof/receipts/ssh-signature.ts';
import { commandsOf, type VerifyTerms } from '../../proof/receipts/verify.ts';
import { sandboxFromFlags } from '../../runners/sandbox/request.ts';
import { inOneLine } from '../../views/verdict-lines.ts';
import type { LoopsContext } from '../loops/context.ts';
import { confirm } from '../terminal/ask.ts';
import { handleCancel } from '../terminal/signals.ts';
import { sha256Of, sshPlace } from './receipt.ts';
import { rowLines, summaryLines } from './verify-lines.ts';

export interface VerifyFlags {
  readonly signers?: string;
  readonly setup?: string;
  readonly include?: readonly string[];
  readonly sandbox?: boolean;
  readonly allowHost?: readonly string[];
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface VerifyContext extends LoopsContext {
  readonly self: readonly [string, ...string[]];
}

const EXIT_DIFFERENT = 1;

export async function verifyCommand(file: string, flags: VerifyFlags, context: VerifyContext): Promise<number> {
  const { json = false, yes = false } = flags;
  if (json && !yes) throw new RalphError('VERIFY', '--json needs --yes: it prints no question');
  const content = plainTextIfThere(file);
  if (content === null) throw new RalphError('RECEIPT', `there is no file ${file}`);
  const receipt = parseReceipt(content, file);
  if (receipt.predicate.checks.length === 0) {
    throw new RalphError('RECEIPT', `${file} cannot be verified: it has no checks`);
  }
  const signature = await signatureOf(file, content, flags, context);
  if (signature !== null && !signature.holds) return refused(file, signature.why, json, context);
  const { cancel: signal, release } = handleCancel(() => undefined);
  try {
    const { cwd, environment, self } = context;
    const sandbox = sandboxFromFlags({ ...(flags.sandbox === false ? { sandbox: false } : {}), ...hostsOf(flags) });
    const verifier = await openVerifier(receipt, { cwd, environment, self, sandbox, signal });
    const asked = { file, content, receipt, signature, verifier };
    return await verified(asked, flags, context);
  } catch (error) {
    if (signal.aborted) return EXIT_INTERRUPTED;
    throw error;
  } finally {
    release();
  }
}

const hostsOf = ({ allowHost }: VerifyFlags) => (allowHost === undefined ? {} : { allowHost });

/** Null if there is no signature and none is required. */
async function signatureOf(file: string, content: string, { signers }: VerifyFlags, context: LoopsContext) {
  const signature = signatureFile(file);
  if (plainTextIfThere(signature) !== null) {
    return checkSignature(content, { signature, signers: signers ?? null }, sshPlace(context));
  }
  return signers === undefined ? null : { holds: false as const, why: `there is no file ${signature}` };
}

function refused(file: string, why: string, json: boolean, { say }: LoopsContext): number {
  if (json) say(JSON.stringify({ isReproduced: false, signature: { holds: false, why } }, null, 2));
  else say(`✗ The signature of ${file} is not valid: ${why}. Nothing was run.`, 'red');
  return EXIT_DIFFERENT;
}

interface Asked {
  readonly file: string;
  readonly content: string;
  readonly receipt: Receipt;
  readonly signature: (SignatureFound & { holds: true }) | null;
  readonly verifier: Verifier;
}

async function verified(asked: Asked, flags: VerifyFlags, context: VerifyContext): Promise<number> {
  const { verifier, receipt } = asked;
  const { json = false, yes = false, setup = null, include = [] } = flags;
  let keepsLogs = false;
  try {
    const terms = { setup, include };
    if (!json) for (const line of openingLines(asked, terms)) context.say(line);
    const hint = 'Read what it would run, and add --yes.';
    const answer = yes ? 'yes' : await confirm('Run this? (y/N): ', hint);
    if (answer !== 'yes') {
      context.say('Nothing was run.');
      return answer === 'no' ? EXIT_DIFFERENT : EXIT_INTERRUPTED;
    }
    const rows = compareReceipt(receipt.predicate, await verifier.run(terms));
    const isSame = isReproduced(rows);
    keepsLogs = !isSame;
    show(rows, asked, json, context);
    return isSame ? 0 : EXIT_DIFFERENT;
  } finally {
    verifier.close(keepsLogs);
  }
}

function openingLines({ file, content, receipt, signature, verifier }: Asked, terms: VerifyTerms): string[] {
  const { predicate } = receipt;
  const held =
    verifier.noSandbox === null ? "in the operating system's sandbox" : `without a sandbox (${verifier.noSandbox})`;
  const { include = [], allowEdit = [], acceptFlaky = false } = predicate.terms ?? {};
  const { checksAtStart } = predicate;
  const missing = include.filter((pattern) => !terms.include.includes(pattern));
  const notes = linesOf(
    missing.length > 0 && `Its checks also used ignored files: ${missing.join(', ')} (see --include).`,
    allowEdit.length > 0 && `The agent was allowed to change ${allowEdit.join(', ')} (--allow-edit).`,
    checksAtStart !== undefined && `The loop began with other checks: ${checksAtStart.join(', ') || 'none'}.`,
    acceptFlaky && 'A check that failed and then passed counted as passed (--accept-flaky).',
  );
  return [
    `${file} says: ${verdictWords(predicate)}`,
    `  loop       ${predicate.loop.id}`,
    `  sha256     ${sha256Of(content)}`,
    `  signature  ${signatureWords(signature)}`,
    '',
    `In a clean checkout of ${placeWords(predicate.at)}, ${held}:`,
    ...commandsOf(predicate, terms).flatMap((command) => command.split('\n').map((line) => `  ${line}`)),
    ...(notes.length === 0 ? [] : ['', ...notes.map(inOneLine)]),
    '',
  ];
}

function signatureWords(signature: Asked['signature']): string {
  if (signature === null) return 'none';
  const { by, key } = signature;
  return by === null
    ? `by ${key}\n             the owner of the key was not checked (see --signers)`
    : `by ${by}, ${key}`;
}

function show(
  rows: readonly ComparedRow[],
  asked: Asked,
  json: boolean,
  { say, width, environment }: VerifyContext,
): void {
  const { content, signature, verifier } = asked;
  const isSame = isReproduced(rows);
  if (json) {
    const by = signature === null ? null : { holds: true, by: signature.by, key: signature.key };
    const logs = isSame ? null : verifier.logs;
    say(JSON.stringify({ isReproduced: isSame, receipt: sha256Of(content), signature: by, rows, logs }, null, 2));
    return;
  }
  for (const { text, style } of rowLines(rows, width, environment.mask)) say(text, style);
  say('');
  for (const { text, style } of summaryLines(rows, verifier.logs, width)) say(text, style);
}
