import { describe, expect, test } from 'vitest';
import { guardContext, guardTable, judged, PROJECT, verdictOf } from '../../test/support/guard-table.ts';
import { judgeCommand, judgeRead, judgeWrite } from './judge.ts';

describe.each([
  ['harmless commands are not blocked', 'harmless.txt', 160],
  ['dangerous commands are blocked in their category', 'dangerous.txt', 160],
  ['commands that the guard was not written for', 'second-look.txt', 60],
  ['commands that hands-on testing got past it, or that it refused without need', 'tried.txt', 350],
])('%s', (_title, file, atLeast) => {
  const cases = guardTable(file);

  test('there are enough of them', () => {
    expect(cases.length).toBeGreaterThanOrEqual(atLeast);
  });

  test.each(cases)('$expected: $command', ({ command, expected, isDirty }) => {
    expect(verdictOf(judged(command, isDirty), expected)).toBe(expected);
  });
});

test('every category has a command that it blocks', () => {
  const blocked = new Set(guardTable('dangerous.txt').map(({ expected }) => expected));
  const all = Array.from({ length: 18 }, (_, index) => `block ${index + 1}`);
  expect(all.filter((verdict) => !blocked.has(verdict))).toEqual([]);
});

describe('a finding', () => {
  test('names the category, the piece of the command and what to do instead', () => {
    expect(judged('npm test && git push -f origin main; ls')).toEqual([
      {
        tier: 'block',
        number: 10,
        category: 'destructive git',
        piece: 'git push -f origin main',
        why: 'overwrites history that others may have pulled',
        instead: 'Add a new commit instead; leave published history as it is.',
      },
    ]);
  });

  test('shows what was hidden in the open', () => {
    expect(judged(`bash -c "$'\\x72\\x6d' -rf /"`)[0]?.piece).toBe('rm -rf /');
  });

  test('comes after the blocks if it is a warning', () => {
    expect(judged('sudo rm -rf /').map(({ tier, number }) => [tier, number])).toEqual([
      ['block', 1],
      ['warn', 7],
    ]);
  });

  test('is said once, however often the command is there', () => {
    expect(judged('git push -f; git push -f; git push -f')).toHaveLength(1);
  });
});

describe('a command that the guard cannot read', () => {
  const unread = (command: string) => judged(command).find(({ category }) => category === 'unreadable command');

  test('is refused with the parser’s reason and a way out', () => {
    expect(unread('npm test && echo "done')).toEqual({
      tier: 'block',
      number: 12,
      category: 'unreadable command',
      piece: 'npm test && echo "done',
      why: 'is not valid bash (unterminated double quote), so the guard cannot tell what it would do',
      instead: 'Check quotes and brackets; run complicated steps one by one, or as a script file.',
    });
  });

  test.each([
    ['functions without end', 'f() '.repeat(10_000)],
    ['substitutions in substitutions', `${'echo $('.repeat(300)}rm -rf /${')'.repeat(300)}`],
    ['callers of callers', `${'env '.repeat(40)}rm -rf /`],
    ['braces that are never closed', '{'.repeat(10_000)],
  ])('is refused if it nests too deeply: %s', (_title, command) => {
    expect(unread(command)?.tier).toBe('block');
  });

  test('is refused if it does more than anybody would follow', () => {
    expect(unread('a;'.repeat(20_000))).toMatchObject({ tier: 'block', instead: 'Split it into several commands.' });
  });

  test.each(['fact() { [ $1 -le 1 ] || fact $(($1 - 1)); }; fact 5', 'alias ls="ls -F"; ls', 'echo a; '.repeat(1000)])(
    'is none that calls itself or is merely long: %s',
    (command) => {
      expect(judged(command)).toEqual([]);
    },
  );

  test('may be of another language: then only what is recognised counts', () => {
    const foreign = (command: string) => judgeCommand(command, PROJECT, guardContext(), { isBash: false });
    expect(foreign('if ($x) { Get-Item a }')).toEqual([]);
    expect(verdictOf(foreign('Get-Item a; rm -rf ~'))).toBe('block 1');
  });
});

test('the remotes are asked for only where a push names an address', () => {
  const asked: string[] = [];
  const context = guardContext({
    remotes: (folder) => {
      asked.push(folder);
      return ['git@github.com:me/project.git'];
    },
  });
  judgeCommand('git push && git push origin main && git fetch https://github.com/me/x', PROJECT, context);
  expect(asked).toEqual([]);
  expect(judgeCommand('git -C sub push https://github.com/me/project main', PROJECT, context)).toEqual([]);
  expect(asked).toEqual([`${PROJECT}/sub`]);
});

describe('whether the tree is dirty', () => {
  test('is asked only where it matters', () => {
    const asked: string[] = [];
    const context = guardContext({
      isDirty: (folder) => {
        asked.push(folder);
        return false;
      },
    });
    judgeCommand('npm test && git status && git push && git checkout main', PROJECT, context);
    expect(asked).toEqual([]);
    judgeCommand('git -C packages/a reset --hard', PROJECT, context);
    judgeCommand('cd src && git restore .', PROJECT, context);
    expect(asked).toEqual([`${PROJECT}/packages/a`, `${PROJECT}/src`]);
  });

  test('is taken for granted where it is unknown where git would run', () => {
    const context = guardContext({ isDirty: () => false });
    expect(verdictOf(judgeCommand('cd "$SOMEWHERE" && git reset --hard', PROJECT, context))).toBe('block 10');
  });
});

test('paths are told from the folder in which the command would run', () => {
  expect(judgeCommand('rm -rf *', `${PROJECT}/dist`, guardContext())).toEqual([]);
  expect(verdictOf(judgeCommand('rm -rf *', '/home/me', guardContext()))).toBe('block 1');
  expect(verdictOf(judgeCommand('rm -rf ..', `${PROJECT}/src`, guardContext()))).toBe('block 1');
  expect(judgeCommand('rm -rf ../dist', `${PROJECT}/src`, guardContext())).toEqual([]);
});

describe('a file that a tool would write', () => {
  test.each([
    '/home/me/.ssh/authorized_keys',
    '/home/me/.aws/credentials',
    '/home/me/.gnupg/x',
    '/home/me/.kube/config',
    '/home/me/.docker/config.json',
    '/home/me/.bashrc',
    '/home/me/.zshrc',
    '/home/me/.profile',
    '/home/me/.bash_profile',
    '/home/me/Library/LaunchAgents/x.plist',
    '/Library/LaunchDaemons/x.plist',
    '/home/me/.claude/settings.json',
    '/home/me/.local/state/ralph/loops/a/journal.jsonl',
    '/etc/hosts',
    '/usr/local/bin/x',
    `${PROJECT}/.git/hooks/pre-commit`,
    `${PROJECT}/src/../.git/hooks/pre-commit`,
    `${PROJECT}/.git/config`,
    `${PROJECT}/.claude/settings.json`,
    `${PROJECT}/.claude/hooks/x.sh`,
    `${PROJECT}/.ralph-active`,
    `${PROJECT}/ralph/allowed-commands.txt`,
    '/home/me/other/.git/hooks/pre-push',
    '/tmp/ralph-acting-7f1c',
    '/private/tmp/ralph-stop-blocks-7f1c',
    '/tmp/../tmp/ralph-stop-told-7f1c.1',
    '/tmp/claude-context-alerts-7f1c.90',
    '~/.ssh/config',
    '.claude/agents/x.md',
  ])('is blocked: %s', (path) => {
    expect(verdictOf(judgeWrite(path, PROJECT, guardContext()))).toBe('block 18');
  });

  test.each([
    `${PROJECT}/src/a.ts`,
    `${PROJECT}/.env`,
    `${PROJECT}/.gitignore`,
    `${PROJECT}/.github/workflows/ci.yml`,
    `${PROJECT}/CLAUDE.md`,
    `${PROJECT}/.claude/rules/testing.md`,
    `${PROJECT}/ralph/tasks.json`,
    `${PROJECT}/docs/etc/ssh.md`,
    '/tmp/x',
    '/tmp/ralph-acting-7f1c/src/a.ts',
    '/tmp/ralph-notes',
    '/home/me/notes.md',
    '',
  ])('is let through: %s', (path) => {
    expect(judgeWrite(path, PROJECT, guardContext())).toEqual([]);
  });

  test('lies in a project that lies in a folder of the system, and is the project’s all the same', () => {
    const context = guardContext({ home: '/root', project: '/root/work' });
    expect(judgeWrite('/root/work/a.ts', '/root/work', context)).toEqual([]);
    expect(verdictOf(judgeWrite('/root/.bashrc', '/root/work', context))).toBe('block 18');
    expect(judgeCommand('rm -rf dist', '/root/work', context)).toEqual([]);
  });
});

test('a file that a tool would read is a concern if it holds secrets', () => {
  const verdict = (path: string) => verdictOf(judgeRead(path, PROJECT, guardContext()));
  expect(verdict('/home/me/.ssh/id_rsa')).toBe('block 6');
  expect(verdict('/home/me/.ssh/id_rsa.pub')).toBe('ok');
  expect(verdict(`${PROJECT}/.env`)).toBe('warn 6');
  expect(verdict(`${PROJECT}/.env.example`)).toBe('ok');
  expect(verdict(`${PROJECT}/src/a.ts`)).toBe('ok');
});
