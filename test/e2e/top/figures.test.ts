/** `ralph top` agrees with the journals of the loops: states, figures, bars, checks, costs, timeline and order. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clockTime } from '../../../src/cli/terminal/words.ts';
import { shortCount } from '../../../src/core/budget/usage.ts';
import { fold } from '../../../src/core/machine/machine.ts';
import { runMachine } from '../../../src/loops/run/rules.ts';
import { statusOf } from '../../../src/state/registry.ts';
import { costWords } from '../../../src/views/loop-words.ts';
import { showLines } from '../../../src/views/show-lines.ts';
import { costWords as spentWords } from '../../../src/views/timeline/spent.ts';
import { timelineIn } from '../../support/loops/timeline.ts';
import { makeScene, PROMPT, type Scene } from '../../support/scene.ts';
import { openTerminal, type Terminal } from '../../support/terminal/terminal.ts';

const SIZE = { columns: 170, rows: 40 };
const COLOR_OF = { done: '32', failed: '31', 'needs-you': '33' } as const;
const [RUNNING, PLAIN] = ['36', ''];

/** The output of Claude Code, with its usage. */
const spending = (costUsd: number, input: number, output: number): string =>
  `claude_says "<response>DONE</response>"; printf '{"type":"result","subtype":"success","is_error":false,"result":"<response>DONE</response>","total_cost_usd":${costUsd},"usage":{"input_tokens":${input},"output_tokens":${output}}}\\n'`;

const rowOf = (screen: string): string => screen.split('\n').find((line) => /^[▸ ][!●◐✗✓] /.test(line)) ?? '';

/** The colour of each bar in the first row. */
function barsOf(terminal: Terminal): string[] {
  let color = PLAIN;
  const row = terminal
    .colors()
    .split('\n')
    .find((line) => /[▁-█]/.test(line));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with Esc.
  return [...(row ?? '').matchAll(/\u001b\[([\d;]*)m|[▁-█]/g)].flatMap(([bar, codes]) => {
    if (codes === undefined) return bar === '' ? [] : [color];
    for (const code of codes.split(';'))
      color = /^3[1-6]$/.test(code) ? code : /^(?:0|39|)$/.test(code) ? PLAIN : color;
    return [];
  });
}

function journalOf(scene: Scene) {
  const records = scene.journal();
  const state = fold(runMachine, records);
  const status = statusOf(runMachine, state, { createdAt: records[0]?.at ?? 0, bytes: 0 });
  return { status, timeline: timelineIn(records) };
}

/** A regular expression for the row; it captures the time, which is compared separately. */
function rowLike({ status }: ReturnType<typeof journalOf>, mark: string, words: string): RegExp {
  const { usage, iterations, about } = status;
  const tokens = shortCount(usage.inputTokens + usage.outputTokens);
  const cost = costWords(usage).replace('$', String.raw`\$`);
  return new RegExp(
    `^▸${mark} \\w+ +run +work +claude +${words} +${iterations}/${about.limit} +[▁-█]{${iterations}} +(\\d+)s +(?:\\d+s)? +${cost} +${tokens} `,
  );
}

async function isAsJournalSays(terminal: Terminal, scene: Scene, mark: string, words: string): Promise<void> {
  await terminal.until((screen) => rowLike(journalOf(scene), mark, words).test(rowOf(screen)));
  const { status, timeline } = journalOf(scene);
  const [, seconds = ''] = rowLike({ status, timeline }, mark, words).exec(rowOf(terminal.screen())) ?? [];
  const workedMs = status.workedMs + (status.ending === null ? Date.now() - status.updatedAt : 0);
  // The screen is drawn once a second, and reading it takes time.
  expect(Math.abs(Number(seconds) * 1000 + 500 - workedMs)).toBeLessThan(2500);
  const colors = timeline.iterations.map(({ endedAt, outcome }) =>
    endedAt === null ? RUNNING : outcome.mark === null ? PLAIN : COLOR_OF[outcome.mark],
  );
  await terminal.until(() => barsOf(terminal).join() === colors.join());
}

test('state, agent, iterations, bars, time, cost, tokens and tabs of a loop agree with its journal', async () => {
  const scene = makeScene({
    agent: 'claude',
    play: `echo "line $n" >>work.txt; case $n in 1) ${spending(0.21, 58_000, 1200)} ;; *) at_gate; ${spending(0.3, 70_000, 2300)} ;; esac`,
    settings: { guardrails: [{ command: 'test "$(wc -l <work.txt)" -ge 3', failAction: 'APPEND' }] },
  });
  const ralph = scene.ralph(['run', '-p', PROMPT]);
  await scene.logged('at gate 2/work/1');
  const terminal = openTerminal(scene, 'COLORTERM= ralph top', SIZE);
  await isAsJournalSays(terminal, scene, '●', 'working');
  expect(barsOf(terminal)).toEqual([COLOR_OF.failed, RUNNING]);
  scene.openGate();
  await ralph.exited;
  await isAsJournalSays(terminal, scene, '✓', 'done');
  expect(barsOf(terminal)).toEqual([COLOR_OF.failed, COLOR_OF.done]);

  const { timeline } = journalOf(scene);
  terminal.press('Enter');
  terminal.press('2');
  const checks = timeline.iterations.flatMap(({ number, checks: rows }) =>
    rows.map(({ passed, label, how }) => ({
      start: `${passed ? '✓' : '✗'} +${number} +${label.slice(0, 4)}`,
      how: passed ? '' : how,
    })),
  );
  expect(checks).toHaveLength(2);
  await terminal.until((screen) =>
    checks.every(({ start, how }) => new RegExp(`${start} .*${how} +\\d+(?:\\.\\d)?m?s$`, 'm').test(screen)),
  );

  terminal.press('5');
  const { totals, iterations } = timeline;
  const rows = [{ name: 'all', of: totals }, ...iterations.map((of) => ({ name: String(of.number), of }))];
  await terminal.until((screen) =>
    rows.every(({ name, of }) => {
      const cells = [
        name,
        of.runs,
        spentWords(of),
        shortCount(of.inputTokens ?? -1),
        shortCount(of.outputTokens ?? -1),
      ];
      return new RegExp(`^ +${cells.join(' +').replaceAll('$', String.raw`\$`)} `, 'm').test(screen);
    }),
  );

  terminal.press('6');
  const [first = ''] = /^ (\w+) · run/.exec(terminal.screen())?.slice(1) ?? [];
  const lines = showLines(timeline, { name: first, place: '.', clock: clockTime, width: SIZE.columns - 2 });
  const texts = lines.map(({ text }) => text.trim()).filter((text) => text !== '');
  await terminal.until((screen) => texts.every((text) => screen.includes(text)));
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
});

test('loops that need you come first, then running ones, those at a limit, and done ones', async () => {
  const limit = `printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%s}}\\n' $(( $(date +%s) + 7200 ));
    printf '{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":429,"result":"no more"}\\n'; exit 1`;
  const says = (text: string): string => `claude_says "${text}"; claude_result "${text}"`;
  const scene = makeScene({
    agent: 'claude',
    play: `case "$prompt" in
      *ASKING*) ${says('<response>BLOCKED: which one?</response>')} ;;
      *RUNNING*) at_gate; ${says('<response>DONE</response>')} ;;
      *LIMITED*) ${limit} ;;
      *) ${says('<response>DONE</response>')} ;;
    esac`,
  });
  const names = ['asking', 'running', 'limited', 'over'];
  // Started in this order, because the newest would be first if all had the same state.
  const told = ['To answer, run: ralph answer', null, 'Waiting for the usage limit', 'Done in 1 iteration'];
  const loops = [];
  for (const [index, name] of names.entries()) {
    const cwd = join(scene.folder, name);
    mkdirSync(cwd);
    cpSync(join(scene.work, '.ralph'), join(cwd, '.ralph'), { recursive: true });
    const loop = scene.ralph(['run', `${name.toUpperCase()} work.`, '--on-blocked', 'wait'], cwd);
    loops.push(loop);
    const words = told[index];
    if (words == null) await scene.logged('at gate 1/work/1');
    else await loop.says(words);
  }
  const terminal = openTerminal(scene, 'ralph top', SIZE);
  const order = [
    '! .* asking .* needs you ',
    '● .* running .* working ',
    '◐ .* limited .* limit until ',
    '✓ .* over .* done ',
  ];
  await terminal.until((screen) => new RegExp(order.map((row) => `^.${row}.*\n`).join(''), 'm').test(screen));
  await terminal.shows('4 loops · 1 needs you · 1 working');
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
  scene.openGate();
  for (const loop of [loops[0], loops[2]]) loop?.signal('SIGINT');
  for (const loop of loops) await loop.exited;
});
