/** `ralph init`: walks a person through the settings and writes them; nothing is written before the last answer. */
import { CHECK_KINDS } from '../checks/index.ts';
import { effectiveSettings, LOCAL_FILE, readLayers, SETTINGS_FILE } from '../config/settings.ts';
import { settingsJsonSchema, writeSettings } from '../config/write-settings.ts';
import { EXIT_INTERRUPTED } from '../core/ending.ts';
import { RalphError } from '../core/error.ts';
import { Aborted, type Ask, askAtTerminal } from './terminal/ask.ts';
import { handleCancel } from './terminal/signals.ts';

const FAIL_ACTIONS = ['APPEND', 'PREPEND', 'REPLACE'];

export async function initCommand(cwd: string): Promise<number> {
  if (!process.stdin.isTTY) {
    throw new RalphError('NO_TERMINAL', 'init requires an interactive terminal', {
      hint: `Without one, write ${SETTINGS_FILE} by hand: {"agent": {"command": "claude"}}`,
    });
  }
  const ask = askAtTerminal(process.stdin, process.stdout);
  // "Aborted." says enough.
  const { cancel, release } = handleCancel(() => undefined);
  cancel.addEventListener('abort', ask.abort);
  try {
    if (!(await mayWrite(ask, cwd))) return 0;
    writeSettings(cwd, await askForSettings(ask), settingsJsonSchema(CHECK_KINDS));
    process.stdout.write(`\nSettings written to ${SETTINGS_FILE}\n`);
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

/** Shows what is there and asks before it is lost. */
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

async function askForSettings(ask: Ask): Promise<Record<string, unknown>> {
  const which = 'Agent command (e.g., claude, codex, amp, or other LLM CLI): ';
  const command = await valid(ask, which, (answer) => (answer === '' ? 'Agent command is required' : null));
  const agent = { command, flags: commaList(await ask.question('Agent flags (comma-separated, optional): ')) };
  const maximumIterations = await valid(ask, 'Maximum iterations [10]: ', (answer) => {
    if (!/^(?:[+-]?\d+)?$/.test(answer)) return 'Please enter a valid number';
    return answer !== '' && Number(answer) <= 0 ? 'Must be greater than 0' : null;
  });
  const completionResponse = (await ask.question('Completion response [DONE]: ')) || 'DONE';
  const guardrails = await askForGuardrails(ask);
  const scm = isYes(await ask.question('Configure SCM? (y/N): ')) ? { scm: await askForScm(ask) } : {};
  const defaults = { outputTruncateChars: 5000, streamAgentOutput: true };
  return {
    maximumIterations: Number(maximumIterations || 10),
    completionResponse,
    ...defaults,
    agent,
    guardrails,
    ...scm,
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
      FAIL_ACTIONS.includes(answer.toUpperCase()) ? null : '  Invalid action. Must be APPEND, PREPEND, or REPLACE',
    );
    const hint = await ask.question('  Hint (optional, guidance for agent on failure): ');
    guardrails.push({ command, failAction: action.toUpperCase(), ...(hint === '' ? {} : { hint }) });
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
