/** `ralph init`: walks a person through the settings and writes them; nothing is written before the last answer. */
import { effectiveSettings, LOCAL_FILE, readLayers, SETTINGS_FILE } from '../config/settings.ts';
import { writeSettings } from '../config/write-settings.ts';
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
    writeSettings(cwd, await askForSettings(ask));
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
    process.stdout.write(`${JSON.stringify(effectiveSettings(layers), null, 2)}\n`);
    process.stdout.write(`Loaded from ${SETTINGS_FILE}${overlay}\n`);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    process.stderr.write(`error: existing settings file is malformed: ${error.message}\n`);
  }
  return isYes(await ask.question('Overwrite? (y/N): '));
}

async function askForSettings(ask: Ask): Promise<Record<string, unknown>> {
  const agent = {
    command: await required(
      ask,
      'Agent command (e.g., claude, codex, amp, or other LLM CLI): ',
      'Agent command is required',
    ),
    flags: commaList(await ask.question('Agent flags (comma-separated, optional): ')),
  };
  const maximumIterations = await positiveInteger(ask, 'Maximum iterations [10]: ', 10);
  const completionResponse = (await ask.question('Completion response [DONE]: ')) || 'DONE';
  const guardrails = await askForGuardrails(ask);
  const scm = isYes(await ask.question('Configure SCM? (y/N): ')) ? { scm: await askForScm(ask) } : {};
  const defaults = { outputTruncateChars: 5000, streamAgentOutput: true };
  return { maximumIterations, completionResponse, ...defaults, agent, guardrails, ...scm };
}

async function askForGuardrails(ask: Ask): Promise<object[]> {
  const guardrails: object[] = [];
  for (;;) {
    const command = await ask.question('Add guardrail command (leave blank to finish): ');
    if (command === '') return guardrails;
    const failAction = await askForFailAction(ask);
    const hint = await ask.question('  Hint (optional, guidance for agent on failure): ');
    guardrails.push({ command, failAction, ...(hint === '' ? {} : { hint }) });
  }
}

async function askForFailAction(ask: Ask): Promise<string> {
  for (;;) {
    const action = (await ask.question('  Fail action (APPEND|PREPEND|REPLACE): ')).toUpperCase();
    if (FAIL_ACTIONS.includes(action)) return action;
    process.stderr.write('  Invalid action. Must be APPEND, PREPEND, or REPLACE\n');
  }
}

async function askForScm(ask: Ask): Promise<object> {
  const command = await required(ask, '  SCM command (e.g., git): ', '  SCM command is required');
  const tasks = commaList(await ask.question('  SCM tasks (comma-separated, e.g., commit,push): '));
  return { command, tasks };
}

async function required(ask: Ask, question: string, complaint: string): Promise<string> {
  for (;;) {
    const answer = await ask.question(question);
    if (answer !== '') return answer;
    process.stderr.write(`${complaint}\n`);
  }
}

async function positiveInteger(ask: Ask, question: string, otherwise: number): Promise<number> {
  for (;;) {
    const answer = await ask.question(question);
    if (answer === '') return otherwise;
    if (!/^[+-]?\d+$/.test(answer)) process.stderr.write('Please enter a valid number\n');
    else if (Number(answer) <= 0) process.stderr.write('Must be greater than 0\n');
    else return Number(answer);
  }
}

function commaList(answer: string): string[] {
  return answer
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function isYes(answer: string): boolean {
  return ['y', 'yes'].includes(answer.toLowerCase());
}
