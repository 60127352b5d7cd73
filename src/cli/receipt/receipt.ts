/** `ralph receipt`: what was checked in a finished loop, for a terminal, a program, a pull request or a commit. */
import { createHash } from 'node:crypto';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { RalphError } from '../../core/error.ts';
import type { Receipt, ReceiptPins } from '../../core/proof/receipt.ts';
import { markdownReceipt, receiptRows, trailerOf, verdictLine } from '../../core/proof/receipt-text.ts';
import type { Recorded } from '../../core/record.ts';
import { maskData } from '../../core/text/mask.ts';
import { wrap } from '../../core/text/wrap.ts';
import type { ReadableLoop } from '../../engine/store/loop-store.ts';
import { storyCriteria } from '../../loops/stories/files/criteria.ts';
import { writeFile } from '../../process/files.ts';
import { readBaseTests } from '../../proof/base-tests.ts';
import { pinnedBlobs } from '../../proof/pins/pinned-files.ts';
import { reportedFiles } from '../../proof/pins/reported-files.ts';
import { signatureFile, signReceipt } from '../../proof/receipts/ssh-signature.ts';
import { proofTrees } from '../../proof/trees.ts';
import { pathOutsideOf } from '../../runners/sandbox/own-environment.ts';
import { gitIn, isIgnored } from '../../scm/git.ts';
import { findStore } from '../../scm/snapshots/store.ts';
import { findGit } from '../../state/git-place.ts';
import { loopFolder } from '../../state/paths.ts';
import { printable } from '../../stream/printable.ts';
import { conditionOf } from '../../views/loop-condition.ts';
import { machineOf } from '../../views/machines.ts';
import { type LoopProof, loopProof, loopReceipt, type ReceiptPlace } from '../../views/receipt.ts';
import { inOneLine } from '../../views/verdict-lines.ts';
import { foundLoop, type LoopsContext, unknownKind } from '../loops/context.ts';
import { formatOf } from '../loops/output-format.ts';
import { clockTime } from '../terminal/words.ts';

type Format = 'text' | 'json' | 'markdown' | 'trailer';

export interface ReceiptFlags {
  readonly format?: Format;
  readonly output?: string;
  readonly sign?: string;
}

const ENDINGS = { json: 'json', md: 'markdown', txt: 'text' } as const;

export async function receiptCommand(
  name: string | null,
  { format, output, sign }: ReceiptFlags,
  context: LoopsContext,
): Promise<number> {
  const { say } = context;
  const kind = format ?? formatOf<Format>(output, ENDINGS, 'text');
  if (sign !== undefined && (output === undefined || kind !== 'json')) {
    const hint = 'For example: ralph receipt -o receipt.json --sign ~/.ssh/id_ed25519';
    throw new RalphError('SIGN', '--sign needs a file of JSON, beside which the signature is written', { hint });
  }
  const { receipt, cwd } = await receiptNamed(name, context);
  if (output === undefined) {
    if (kind === 'text') for (const line of receiptLines(receipt, context.width)) say(line);
    else process.stdout.write(rendered(receipt, kind, context));
    return 0;
  }
  const text = rendered(receipt, kind, context);
  const signature = sign === undefined ? null : await signReceipt(text, sign, sshPlace(context));
  writeFile(output, text);
  if (signature !== null) writeFile(signatureFile(output), signature);
  say(verdictLine(receipt.predicate));
  say(`Receipt written to ${output}`);
  if (signature !== null) say(`Signature written to ${signatureFile(output)}`);
  if (await changesWhatItNames(receipt, output, cwd, context)) {
    const what = `Commit the work first, then ${output} in a separate commit`;
    for (const line of wrap(what, '! ', '  ', context.width)) say(line, 'yellow');
    for (const line of wrap('otherwise the receipt no longer matches the files', '    ', '    ', context.width))
      say(line);
  }
  if (kind === 'json') say(`To run it again: ralph verify ${output}`);
  return 0;
}

/** Whether a receipt of uncommitted files is written among them: it would be committed with them, and change them. */
async function changesWhatItNames(
  { predicate }: Receipt,
  output: string,
  project: string,
  { cwd, environment }: LoopsContext,
): Promise<boolean> {
  const { commit, tree } = predicate.at;
  if (commit !== null) return false;
  const path = resolve(cwd, output);
  const git = findGit(dirname(path));
  if (git === null || git.entry !== findGit(project)?.entry) return false;
  const { variables } = environment;
  const { ok: isCommitted } = await gitIn(project, variables)(['cat-file', '-e', `${tree ?? ''}^{tree}`]);
  return !isCommitted && !(await isIgnored(path, dirname(path), variables));
}

export const sshPlace = ({ cwd, environment }: LoopsContext) => ({ cwd, env: environment.variables });

/** The JSON that is written and signed, and whose hash a trailer names. */
const jsonOf = (receipt: Receipt): string => `${JSON.stringify(receipt, null, 2)}\n`;

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

function rendered(receipt: Receipt, format: Format, { width }: LoopsContext): string {
  if (format === 'json') return jsonOf(receipt);
  if (format === 'markdown') return printable(markdownReceipt(receipt));
  if (format === 'trailer') return `${printable(trailerOf(receipt, sha256Of(jsonOf(receipt))))}\n`;
  return `${receiptLines(receipt, width).map(printable).join('\n')}\n`;
}

const NAME_WIDTH = 8;

function receiptLines(receipt: Receipt, width: number): string[] {
  const rows = receiptRows(receipt).flatMap(([row, words]) =>
    wrap(inOneLine(words), `  ${row.padEnd(NAME_WIDTH)} `, ' '.repeat(NAME_WIDTH + 3), width),
  );
  return [verdictLine(receipt.predicate), ...rows];
}

/** `cwd`: the directory of its loop. */
async function receiptNamed(name: string | null, context: LoopsContext) {
  const { store, environment } = context;
  const { loop, short } = await foundLoop(context, { name, among: { is: isDone, what: 'loop that is done' } });
  if (!isDone(loop)) {
    const { words } = conditionOf(loop, clockTime);
    throw new RalphError('NOT_DONE', `loop ${short} is not done (${words}): it has no receipt`, {
      hint: `To see how far it got: ralph show ${short}`,
    });
  }
  const machine = await machineOf(loop.loopKind);
  if (machine === null) throw unknownKind(loop);
  const records = await store.records(loop.id);
  const receipt = loopReceipt(records, machine, await placeOf(loop, records, context));
  return { receipt: maskData(receipt, environment.mask), cwd: loop.about.cwd ?? loop.cwd };
}

/** Also true if a commit or a push failed: what was checked is the same. */
const isDone = ({ ending }: ReadableLoop): boolean => ending?.kind === 'done' || ending?.kind === 'unpublished';

async function placeOf(loop: ReadableLoop, records: readonly Recorded[], context: LoopsContext): Promise<ReceiptPlace> {
  const cwd = loop.about.cwd ?? loop.cwd;
  const folder = loopFolder(context.environment.root, loop.id);
  const git = findGit(cwd);
  const root = findStore(folder)?.root ?? (git === null ? cwd : dirname(git.entry));
  const inside = relative(root, cwd);
  const proved = loopProof(records);
  return {
    project: basename(root),
    folder: inside.startsWith('..') ? '' : inside,
    criteria: loop.loopKind === 'stories' ? storyCriteria(records, folder) : null,
    pinned: proved === null ? {} : await pinnedAtStart(proved, { cwd, folder }, context),
  };
}

async function pinnedAtStart(
  { base, proof }: LoopProof,
  { cwd, folder }: { readonly cwd: string; readonly folder: string },
  { environment }: LoopsContext,
): Promise<ReceiptPins['files']> {
  const { variables } = environment;
  const env = { ...variables, PATH: pathOutsideOf(cwd, variables) };
  const except = environment.root.path;
  const trees = proofTrees({ loop: folder, cwd, env, except, signal: new AbortController().signal });
  const terms = proof.terms ?? { pins: [], allowEdit: [] };
  const commands = base.checks.map(({ command }) => command);
  if (trees === null) return {};
  const known = readBaseTests(join(folder, 'proof'), base.tests) ?? [];
  const tests = await reportedFiles(trees, base.at.at, known);
  const subfolder = relative(trees.root, cwd);
  return pinnedBlobs(trees, base.at.at, { terms, commands, tests, subfolder });
}
