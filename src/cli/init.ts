/** `ralph init`: asks for the settings, or takes what it finds here, and writes them after the last answer. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHECK_KINDS } from '../checks/index.ts';
import { readEnvironment } from '../config/environment.ts';
import { effectiveSettings, LOCAL_FILE, readLayers, SETTINGS_FILE } from '../config/settings.ts';
import { settingsJsonSchema, WRITTEN_FILES, writeSettings } from '../config/write-settings.ts';
import { EXIT_INTERRUPTED } from '../core/ending.ts';
import { RalphError } from '../core/error.ts';
import { quoteWords } from '../core/text/quote-word.ts';
import { excludeFromGit, isIgnored, LOGS } from '../scm/git.ts';
import { commitIn, findGit } from '../state/git-place.ts';
import { type Found, findAll, foundGuardrails, foundRows, foundSettings } from './init/found.ts';
import { self } from './program/self.ts';
import { Aborted, type Ask, askAtTerminal } from './terminal/ask.ts';
import { handleCancel } from './terminal/signals.ts';

const FAIL_ACTIONS = ['APPEND', 'PREPEND', 'REPLACE'];

export interface InitFlags {
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly agent?: string;
}

export async function initCommand(flags: InitFlags, cwd: string): Promise<number> {
  if (flags.yes === true) return writeFound(flags, cwd);
  if (!process.stdin.isTTY) {
    throw new RalphError('NO_TERMINAL', 'init requires an interactive terminal', {
      hint: 'To write what is found here without being asked: ralph init --yes',
    });
  }
  const ask = askAtTerminal(process.stdin, process.stdout);
  // No message here: "Aborted." below is enough.
  const { cancel, release } = handleCancel(() => undefined);
  cancel.addEventListener('abort', ask.abort);
  try {
    if (!(await mayWrite(ask, cwd))) return 0;
    const found = await findHere(flags, cwd);
    const agent = flags.agent === undefined ? '' : ` --agent ${quoteWords([flags.agent])}`;
    const yes = `ralph init --yes${agent}${existsSync(join(cwd, SETTINGS_FILE)) ? ' --force' : ''}`;
    say('Found here:', ...foundRows(found), 'A blank answer takes what was found, or the default.');
    say(`To write this without being asked: ${yes}`, '');
    await write(await askForSettings(ask, found), cwd, found);
    return 0;
  } catch (error) {
    if (!(error instanceof Aborted)) throw error;
    process.stdout.write('\nAborted.\n');
    return EXIT_INTERRUPTED;
  } finally {
    release();
    ask.close();
  }
}

const findHere = ({ agent }: InitFlags, cwd: string): Promise<Found> =>
  findAll({ cwd, env: readEnvironment().variables, self: self() }, agent);

async function writeFound(flags: InitFlags, cwd: string): Promise<number> {
  if (flags.force !== true && existsSync(join(cwd, SETTINGS_FILE))) {
    const hint = 'To replace it: ralph init --yes --force';
    throw new RalphError('SETTINGS_THERE', `${SETTINGS_FILE} already exists`, { hint });
  }
  const found = await findHere(flags, cwd);
  const { settings, rows } = foundSettings(found);
  say(...rows);
  await write(settings, cwd, found);
  return 0;
}

async function write(settings: Readonly<Record<string, unknown>>, cwd: string, { hasPromptFile }: Found) {
  writeSettings(cwd, settings, settingsJsonSchema(CHECK_KINDS));
  excludeFromGit(cwd, LOGS);
  const files = await filesToCommit(cwd);
  say('', `Settings written to ${SETTINGS_FILE}`);
  if (files !== null) say(`To commit them first: git add ${files} && git commit -m "Set up ralph"`);
  say(`To start: ralph run${hasPromptFile ? '         # with PROMPT.md' : ' "Fix the failing tests"'}`);
}

/** For the hint to commit, so that a loop can be compared with that commit. Null if git does not take the files. */
async function filesToCommit(cwd: string): Promise<string | null> {
  if (findGit(cwd) === null || (await isIgnored(SETTINGS_FILE, cwd, readEnvironment().variables))) return null;
  if (commitIn(cwd) === null) return '--all';
  return existsSync(join(cwd, LOCAL_FILE)) ? WRITTEN_FILES.join(' ') : dirname(SETTINGS_FILE);
}

function say(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

/** Shows existing settings, and asks before they are overwritten. */
async function mayWrite(ask: Ask, cwd: string): Promise<boolean> {
  try {
    const layers = readLayers(cwd);
    if (layers.base === null) {
      // There is nothing to overwrite.
      if (layers.local !== null) process.stdout.write(`${LOCAL_FILE} is kept; it overrides what you answer here.\n`);
      return true;
    }
    const overlay = layers.local === null ? '' : ` (with local overlay from ${LOCAL_FILE.replace('.ralph/', '')})`;
    process.stdout.write(`${JSON.stringify(effectiveSettings(layers, CHECK_KINDS), null, 2)}\n`);
    process.stdout.write(`Loaded from ${SETTINGS_FILE}${overlay}\n`);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    process.stderr.write(`error: existing settings file is malformed: ${error.message}\n`);
  }
  return isYes(await ask.question('Overwrite? (y/N): '));
}

/** The questions are seed 001's; a blank answer takes what was found here, if anything was. */
async function askForSettings(ask: Ask, found: Found): Promise<Record<string, unknown>> {
  const which = 'Agent command (e.g., claude, codex, amp, or other LLM CLI): ';
  const missing = found.agent === null ? 'Agent command is required' : null;
  const answer = await valid(ask, which, (given) => (given === '' ? missing : null));
  const command = answer || (found.agent?.command ?? '');
  const flags = commaList(await ask.question('Agent flags (comma-separated, optional): '));
  // The flags that were found let the agent work unattended: take them only with a sandbox.
  const isHeld = found.sandbox.kind !== null && answer === '';
  const agent = { command, flags: flags.length > 0 || !isHeld ? flags : (found.agent?.flags ?? []) };
  const maximumIterations = await valid(ask, 'Maximum iterations [10]: ', (answer) => {
    if (!/^(?:[+-]?\d+)?$/.test(answer)) return 'Please enter a valid number';
    return answer !== '' && Number(answer) <= 0 ? 'Must be greater than 0' : null;
  });
  const completionResponse = (await ask.question('Completion response [DONE]: ')) || 'DONE';
  const given = await askForGuardrails(ask);
  const guardrails = given.length > 0 ? given : foundGuardrails(found);
  const scm = isYes(await ask.question('Configure SCM? (y/N): ')) ? { scm: await askForScm(ask) } : {};
  const defaults = { outputTruncateChars: 5000, streamAgentOutput: true };
  return {
    maximumIterations: Number(maximumIterations || 10),
    completionResponse,
    ...defaults,
    agent,
    guardrails,
    ...scm,
    ...(isHeld ? { sandbox: { kind: 'auto' } } : {}),
  };
}

/** Asks until there is no problem with the answer. */
async function valid(ask: Ask, question: string, problemOf: (answer: string) => string | null): Promise<string> {
  for (;;) {
    const answer = await ask.question(question);
    const problem = problemOf(answer);
    if (problem === null) return answer;
    process.stderr.write(`${problem}\n`);
  }
}

async function askForGuardrails(ask: Ask): Promise<object[]> {
  const guardrails: object[] = [];
  for (;;) {
    const command = await ask.question('Add guardrail command (leave blank to finish): ');
    if (command === '') return guardrails;
    const action = await valid(ask, '  Fail action (APPEND|PREPEND|REPLACE): ', (answer) =>
      ['', ...FAIL_ACTIONS].includes(answer.toUpperCase())
        ? null
        : '  Invalid action. Must be APPEND, PREPEND, or REPLACE',
    );
    const hint = await ask.question('  Hint (optional, guidance for agent on failure): ');
    guardrails.push({ command, failAction: action.toUpperCase() || 'APPEND', ...(hint === '' ? {} : { hint }) });
  }
}

async function askForScm(ask: Ask): Promise<object> {
  const missing = '  SCM command is required';
  const command = await valid(ask, '  SCM command (e.g., git): ', (answer) => (answer === '' ? missing : null));
  const tasks = commaList(await ask.question('  SCM tasks (comma-separated, e.g., commit,push): '));
  return { command, tasks };
}

function commaList(answer: string): string[] {
  return answer
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

const isYes = (answer: string): boolean => ['y', 'yes'].includes(answer.toLowerCase());
