import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { codexWindows } from './session-record.ts';

const SESSION = '01a1edbb-beb9-7532-aaa0-541bf7c25920';

/** As Codex 0.166.0 writes it. */
const told = (used: number, more: object = {}): string =>
  JSON.stringify({
    timestamp: '2026-11-18T08:17:46.783Z',
    type: 'event_msg',
    payload: {
      type: 'token_count',
      info: null,
      rate_limits: {
        limit_id: 'codex',
        primary: { used_percent: used, window_minutes: 300, resets_at: 1_794_993_672 },
        secondary: { used_percent: 50, window_minutes: 10_080, resets_at: 1_795_598_472 },
        ...more,
      },
    },
  });

function homeWith(lines: readonly string[], day = '2026/11/18', session = SESSION): string {
  const home = testFolder();
  for (const folder of ['2025/01/01', '2026/11/17', day])
    mkdirSync(join(home, 'sessions', folder), { recursive: true });
  const file = join(home, 'sessions', day, `rollout-2026-11-18T08-17-46-${session}.jsonl`);
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  return home;
}

const windowsIn = (home: string, session = SESSION) => codexWindows(session, { env: { CODEX_HOME: home } });

test('the windows are those that were told last', () => {
  const long = JSON.stringify({ type: 'response_item', payload: 'x'.repeat(300_000) });
  expect(
    windowsIn(homeWith([long, told(70), told(80), '{"type":"event_msg","payload":{"type":"task_complete"}}'])),
  ).toEqual([
    { name: 'five_hour', used: 0.8, resetsAt: 1_794_993_672_000 },
    { name: 'seven_day', used: 0.5, resetsAt: 1_795_598_472_000 },
  ]);
});

test('a session that began the day before is found', () => {
  const home = homeWith([told(80)], '2026/11/17');
  mkdirSync(join(home, 'sessions/2026/11/18'), { recursive: true });
  expect(windowsIn(home)).toHaveLength(2);
});

test('without CODEX_HOME it is the folder in the home of the user', () => {
  const user = testFolder();
  symlinkSync(homeWith([told(80)]), join(user, '.codex'));
  expect(codexWindows(SESSION, { env: { HOME: user } })).toHaveLength(2);
  expect(codexWindows(SESSION, { env: {} })).toEqual([]);
});

describe('nothing is known', () => {
  test.each([
    ['of an account without windows', [told(0, { primary: null, secondary: null })]],
    ['where nothing was told', ['{"type":"session_meta"}']],
    ['where the line is torn', [told(80).slice(0, -20)]],
    ['where the figures are none', [told(0, { primary: { used_percent: '80' }, secondary: { used_percent: -1 } })]],
  ])('%s', (_title, lines) => {
    expect(windowsIn(homeWith(lines))).toEqual([]);
  });

  test('of another session, nor by a name that would lead elsewhere', () => {
    const home = homeWith([told(80)]);
    expect(windowsIn(home, SESSION.replace('01a1', '01a2'))).toEqual([]);
    expect(windowsIn(home, '../../x')).toEqual([]);
    expect(windowsIn(testFolder())).toEqual([]);
  });
});
