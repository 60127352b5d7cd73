import { describe, expect, test } from 'vitest';
import type { Key } from './keys.ts';
import type { Look } from './movement.ts';
import { firstState, type UiState } from './state.ts';
import { type Effect, update } from './update.ts';

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];
const LINES = Array.from({ length: 100 }, (_, index) => (index % 10 === 3 ? `needle ${index}` : `line ${index}`));

const look = (given: Partial<Look> = {}) => ({
  ids: IDS,
  isThere: () => true,
  kindOf: () => 'run',
  nameOf: (id: string) => id,
  refusal: (): string | null => null,
  isTurned: () => true,
  iterations: () => [1, 2, 3],
  checks: () => 5,
  lastHelpTop: () => 0,
  paneText: () => LINES,
  paneTop: () => LINES.length - 19,
  ...given,
});

const keyOf = (text: string): Key => {
  const [first = ''] = text;
  return text.length === first.length ? { is: 'char', char: text } : ({ is: text } as Key);
};

/** The state and the effects after these keys, one after the other. */
function pressed(keys: readonly (string | Key)[], given: Partial<Look> = {}, from: Partial<UiState> = {}) {
  const lookAt = (state: UiState): Look => {
    const shown = look(given);
    return { ...shown, ids: shown.ids.filter((id) => id.includes(state.filter)) };
  };
  let state = { ...firstState({ columns: 80, rows: 24 }), ...from };
  state = update(state, { type: 'data' }, lookAt).state;
  const effects: Effect[] = [];
  for (const key of keys) {
    const updated = update(state, { type: 'key', key: typeof key === 'string' ? keyOf(key) : key }, lookAt);
    state = updated.state;
    effects.push(...updated.effects);
  }
  return { state, effects };
}

describe('the list', () => {
  test('arrows and letters choose a loop, and the chosen one stays in sight', () => {
    expect(pressed([]).state.selected).toBe('a');
    expect(pressed(['j', 'down', 'k']).state.selected).toBe('b');
    const { state } = pressed(['end']);
    expect(state.selected).toBe('l');
    expect(state.top).toBeGreaterThan(0);
    expect(pressed(['G', 'g']).state).toMatchObject({ selected: 'a', top: 0 });
  });

  test('a loop that moves in the list stays chosen, and one that goes is replaced by its neighbour', () => {
    const state = pressed(['j']).state;
    const moved = update(state, { type: 'data' }, () => look({ ids: ['x', 'y', 'b'] })).state;
    expect(moved.selected).toBe('b');
    expect(update(state, { type: 'data' }, () => look({ ids: ['x', 'y', 'z'] })).state.selected).toBe('y');
    expect(update(state, { type: 'data' }, () => look({ ids: [] })).state.selected).toBeNull();
  });

  test('a loop that is open stays where a filter leaves it out, and is left where it is deleted', () => {
    const { state } = pressed(['j', 'enter', 't', 'x']);
    const filtered = update(state, { type: 'data' }, () => look({ ids: ['a'] })).state;
    expect(filtered).toMatchObject({ at: 'loop', selected: 'b' });
    const deleted = update(state, { type: 'data' }, () => look({ ids: ['a', 'c'], isThere: (id) => id !== 'b' })).state;
    expect(deleted).toMatchObject({ at: 'list', selected: 'c', mode: { is: 'normal' } });
    expect(deleted.notice?.text).toContain('no longer exists');
    const none = update(state, { type: 'data' }, () => look({ ids: [], isThere: () => false })).state;
    expect(none).toMatchObject({ at: 'list', selected: null });
  });

  test('a filter narrows it while it is typed; Enter keeps it, Esc takes it back', () => {
    expect(pressed(['/', 'c']).state).toMatchObject({ filter: 'c', selected: 'c' });
    expect(pressed(['/', 'c', 'enter']).state).toMatchObject({ filter: 'c', mode: { is: 'normal' } });
    expect(pressed(['/', 'c', 'escape']).state).toMatchObject({ filter: '' });
    expect(pressed(['/', 'c', 'enter', 'escape']).state.filter).toBe('');
  });

  test('n and N go through what the filter left', () => {
    expect(pressed(['n', 'n', 'N']).state.selected).toBe('b');
  });

  test('a click chooses, and the wheel moves where it is', () => {
    expect(pressed([{ is: 'click', row: 4 }]).state.selected).toBe('c');
    expect(pressed([{ is: 'wheel', by: 1, row: 3 }]).state.selected).toBe('b');
    expect(pressed([{ is: 'wheel', by: -1, row: 20 }]).state).toMatchObject({
      selected: 'a',
      scroll: expect.any(Number),
    });
  });
});

describe('keys that act on a loop', () => {
  test.each([
    ['p', 'pause'],
    ['A', 'attach'],
    ['o', 'page'],
  ])('%s: %s at once', (key, effect) => {
    expect(pressed(['j', key]).effects).toEqual([{ do: effect, id: 'b' }]);
  });

  test('s asks first, and does nothing before a y', () => {
    expect(pressed(['s']).effects).toEqual([]);
    expect(pressed(['s', 'x', 'j']).effects).toEqual([]);
    expect(pressed(['s', 'n']).effects).toEqual([]);
    expect(pressed(['s', 'escape', 'y']).effects).toEqual([]);
    expect(pressed(['s', 'y']).effects).toEqual([{ do: 'stop', id: 'a' }]);
  });

  test('what s would do is in its question, where the supervisor is gone, too', () => {
    const question = (given: Partial<Look>): string => {
      const { mode } = pressed(['s'], given).state;
      return mode.is === 'confirm' ? mode.question : '';
    };
    expect(question({})).toBe('Stop loop a after this iteration?');
    expect(question({ isTurned: () => false, kindOf: () => 'session' })).toBe('Stop loop a after this iteration?');
    expect(question({ isTurned: () => false })).toBe(
      'Loop a has no supervisor. End its agent, if that is still at work?',
    );
  });

  test('the question is about the loop that was chosen, whatever moves meanwhile', () => {
    const { state } = pressed(['j', 's']);
    const later = update(state, { type: 'data' }, () => look({ ids: ['x', 'y'] })).state;
    const answered = update(later, { type: 'key', key: { is: 'char', char: 'y' } }, () => look({ ids: ['x', 'y'] }));
    expect(answered.effects).toEqual([{ do: 'stop', id: 'b' }]);
  });

  test('r wakes a loop that waits, and asks before it starts one', () => {
    expect(pressed(['r']).effects).toEqual([{ do: 'resume', id: 'a' }]);
    expect(pressed(['r'], { isTurned: () => false }).effects).toEqual([]);
    expect(pressed(['r', 'y'], { isTurned: () => false }).effects).toEqual([{ do: 'resume', id: 'a' }]);
  });

  test('t sends what is typed; keys in it are letters, also those of a paste', () => {
    const words = ['t', 'q', 's', { is: 'paste', text: ' y\nz' } as const, 'enter'];
    expect(pressed(words).effects).toEqual([{ do: 'tell', id: 'a', text: 'qs y z' }]);
    expect(pressed(['t', 'a', 'backspace', 'enter']).effects).toEqual([]);
    expect(pressed(['t', 'a', 'escape', 'enter']).effects).toEqual([]);
  });

  test('a answers a loop that asks, and no other', () => {
    expect(pressed(['a', 'x', 'enter'], { refusal: () => 'It asks nothing.' }).effects).toEqual([]);
    expect(pressed(['a', 'x', 'enter']).effects).toEqual([{ do: 'answer', id: 'a', text: 'x' }]);
  });

  test.each([...'prstaA'])('%s says at once why it does nothing', (key) => {
    const refusal = (of: string): string | null => (of === key ? 'Not for this loop.' : null);
    const { state, effects } = pressed([key], { refusal });
    expect(effects).toEqual([]);
    expect(state).toMatchObject({ mode: { is: 'normal' }, notice: { text: 'Not for this loop.', isError: true } });
  });

  test('without a loop nothing happens', () => {
    for (const key of 'prstaAod[]1') expect(pressed([key, 'y', 'enter'], { ids: [] }).effects).toEqual([]);
  });

  test('q and Ctrl-C leave; where something is typed or asked, Ctrl-C takes that back', () => {
    expect(pressed(['q']).effects).toEqual([{ do: 'quit' }]);
    expect(pressed(['ctrl-c']).effects).toEqual([{ do: 'quit' }]);
    for (const key of ['t', 's', '/']) {
      const { state, effects } = pressed([key, 'ctrl-c']);
      expect(effects).toEqual([]);
      expect(state.mode.is).toBe('normal');
    }
    expect(pressed(['t', 'ctrl-c', 'ctrl-c']).effects).toEqual([{ do: 'quit' }]);
    expect(pressed(['ctrl-z']).effects).toEqual([{ do: 'suspend' }]);
  });
});

describe('one loop', () => {
  test('Enter opens it, Esc goes back', () => {
    expect(pressed(['enter']).state.at).toBe('loop');
    expect(pressed(['enter', 'escape']).state.at).toBe('list');
  });

  test('tabs go round, and each begins where it is read', () => {
    expect(pressed(['tab']).state).toMatchObject({ tab: 'checks', scroll: null });
    expect(pressed(['left']).state.tab).toBe('time line');
    expect(pressed(['left', 'tab']).state).toMatchObject({ tab: 'stream', scroll: null });
    expect(pressed(['2']).state.tab).toBe('checks');
    expect(pressed(['3']).state.tab).toBe('diff');
    expect(pressed(['3'], { kindOf: () => 'stories' }).state.tab).toBe('stories');
  });

  test('a tab that another kind of loop does not have is not kept', () => {
    const kinds = { kindOf: (id: string) => (id === 'a' ? 'stories' : 'run') };
    expect(pressed(['3', 'j'], kinds).state.tab).toBe('stream');
  });

  test('scrolling up stops following, the end and f follow again', () => {
    expect(pressed(['enter', 'k']).state.scroll).toBe(100 - 19 - 1);
    expect(pressed(['enter', 'k', 'j']).state.scroll).toBeNull();
    expect(pressed(['enter', 'g']).state.scroll).toBe(0);
    expect(pressed(['enter', 'g', 'f']).state.scroll).toBeNull();
    expect(pressed(['enter', 'f']).state.scroll).toBe(100 - 19);
  });

  test('d shows the newest iteration, [ and ] the others, and all changes before the first', () => {
    expect(pressed(['d']).state).toMatchObject({ tab: 'diff', iteration: 3 });
    expect(pressed(['d', '[']).state.iteration).toBe(2);
    expect(pressed(['d', '[', '[', '[', '[']).state.iteration).toBeNull();
    expect(pressed(['d', ']']).state.iteration).toBe(3);
  });

  test('a search goes from line to line and round', () => {
    const search = ['enter', 'g', '/', ...'needle', 'enter'];
    expect(pressed(search).state).toMatchObject({ hit: 3, scroll: 3 });
    expect(pressed([...search, 'n']).state.hit).toBe(13);
    expect(pressed([...search, 'N']).state.hit).toBe(93);
    expect(pressed(['enter', '/', 'x', 'y', 'enter']).state.notice).toMatchObject({ isError: true });
  });

  test('pages and the wheel scroll in the log of a check, and another check begins at its own end', () => {
    const seen = (...keys: readonly (string | Key)[]): UiState => pressed(['enter', '2', ...keys]).state;
    expect(seen('page-up')).toMatchObject({ cursor: 0, scroll: 81 - 18 });
    expect(seen({ is: 'wheel', by: -1, row: 9 })).toMatchObject({ cursor: 0, scroll: 81 - 3 });
    expect(seen('page-up', 'j')).toMatchObject({ cursor: 1, scroll: null });
    expect(seen('/', '4', '3', 'enter')).toMatchObject({ cursor: 0, hit: 43, scroll: 43 });
  });

  test('checks are chosen one by one', () => {
    expect(pressed(['enter', '2', 'j', 'j']).state.cursor).toBe(2);
    expect(pressed(['enter', '2', 'G']).state.cursor).toBe(4);
  });
});

describe('the help', () => {
  test('any key closes it where all of it is seen', () => {
    for (const key of ['q', 'j', 'end']) {
      const { state, effects } = pressed(['?', key]);
      expect(state.mode.is).toBe('normal');
      expect(effects).toEqual([]);
    }
  });

  test('on a small screen it scrolls by the keys that scroll elsewhere, and every other key closes it', () => {
    const topAfter = (...keys: readonly (string | Key)[]): unknown => {
      const { mode } = pressed(['?', ...keys], { lastHelpTop: () => 30 }).state;
      return mode.is === 'help' ? mode.top : mode.is;
    };
    expect(topAfter()).toBe(0);
    expect(topAfter('j', 'down', 'j', 'k', 'up')).toBe(1);
    expect(topAfter('page-down')).toBe(22);
    expect(topAfter('page-down', 'page-down', 'page-up')).toBe(8);
    expect(topAfter('G')).toBe(30);
    expect(topAfter('end', 'g')).toBe(0);
    expect(topAfter({ is: 'wheel', by: 1, row: 3 })).toBe(3);
    expect(topAfter('j', 'q')).toBe('normal');
    expect(topAfter('escape')).toBe('normal');
  });
});
