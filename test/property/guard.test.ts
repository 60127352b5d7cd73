/** The guard on random text: it never throws or hangs, and quotes around a plain word do not change its verdict. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeCommand } from '../../src/guard/judge.ts';
import { isPlainlyHarmless } from '../../src/guard/plain.ts';
import { guardContext, guardTable, judged, PROJECT, verdictOf } from '../support/guard-table.ts';
import { sweep, times } from '../support/sweep.ts';

const CASES = ['harmless.txt', 'dangerous.txt', 'second-look.txt', 'tried.txt'].flatMap(guardTable);
const PIECES = [
  ...`'"\`$(){}[]<>|&;#\\!*?~=,:-/`,
  ...'$( ${ $(( $\' $" <( >( <<< && || ;; 2>&1 (( [[ ]] \\x72 \0 é 🙂 __proto__ constructor x 1'.split(' '),
  ...'if |then |fi|for x in |do |done|while |case x in |esac|function f |f() |{ | }|<<EOF\n|\nEOF\n|\n|\t| '.split('|'),
  ...'rm |-rf |/ |sudo |bash -c |xargs |find . -exec |eval |env |python -c |alias a=|git '.split('|'),
];

const NAMES: Readonly<Record<string, string>> = {
  git: 'status diff log show add commit push push fetch pull reset clean checkout restore branch config rev-parse blame -C -c',
  npm: 'test ci start run install i publish config exec x -g',
  npx: 'vitest tsc cowsay -y -p prisma jest',
  cargo: 'test build publish yank fmt',
  go: 'test build vet run',
  sed: '-n -i -e',
};

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join('')),
  // A command from the tables with something strange inserted.
  fc
    .tuple(fc.constantFrom(...CASES), fc.nat(200), fc.constantFrom(...PIECES))
    .map(([{ command }, at, piece]) => command.slice(0, at) + piece + command.slice(at)),
);

test('the guard has a verdict for any text', () => {
  fc.assert(
    fc.property(text, (command) => {
      for (const { tier } of judged(command)) expect(['block', 'warn']).toContain(tier);
    }),
    { numRuns: 3000 },
  );
});

const REPEATED = [
  ...PIECES,
  'a{b,c}',
  'f(){ f; f; };f;',
  'for a in 1 2 3 4; do ',
  'echo $(',
  'x=$x$x; ',
  "'\\''",
  '{{{{,',
];

test.each(sweep(REPEATED, 30))('ten thousand repetitions do not slow the guard down: %j', (piece) => {
  expect(Array.isArray(judged(piece.repeat(10_000)))).toBe(true);
});

test('a here-document of a megabyte is read', () => {
  const body = 'line with $HOME and \\`date\\` and "quotes"\n'.repeat(25_000);
  expect(verdictOf(judged(`cat > notes.md <<EOF\n${body}EOF\nrm -rf /`))).toBe('block 1');
});

test('a text that is too complex for the guard is refused', () => {
  expect(verdictOf(judged(`${'echo `date`; '.repeat(20_000)} rm -rf /`))).toBe('block 12');
});

describe('commands that are accepted without the judge would be accepted by the judge', () => {
  const homes = fc.constantFrom('/home/me', '/home/me', '/root', '/', '/dev', '/etc');
  const projects = fc.constantFrom(
    PROJECT,
    '/',
    '/etc',
    '/home/me/.ssh',
    '/home/me/.claude',
    '/root/.aws/x',
    '/dev',
    '/tmp',
  );
  const folders = fc.constantFrom('', '', '', '/src', '/.git', '/.claude', '/ralph', '/a b');
  const split = (words: string) => fc.constantFrom(...words.split(' '));
  const program = fc.oneof(
    split('ls cat head tail wc grep rg sort cut diff rm mkdir touch true pwd echo cd find which sleep pytest'),
    split('sh tee xargs uniq curl env constructor __proto__ toString ./ls /bin/rm'),
    split('git npm npx cargo go sed').chain((name) => split(NAMES[name] ?? '').map((word) => `${name} ${word}`)),
  );
  const option = split(
    '-delete -exec -name -type -not 1,5p 1w /etc/passwd -r -rf -n -n5 -5 -la -o -f -c -am -m -A -d: -e -i -p -v -D --force --hard --global --recursive --output=x --registry http://x -- -s --silent --no-preserve-root --exec=x --stat -u -D --tags --rebase --mirror --prune --set-upstream --delete',
  );
  const path = split(
    'src src/a.ts . .. ../x ./ / /etc/shadow /etc/passwd /dev/zero /dev/sda .env .env.local id_rsa .ssh/id_rsa ~ ~/.ssh ~root .git .git/hooks/x .git/index.lock .ralph-active .claude/settings.json .claude/rules/x.md ralph/allowed-commands.txt HEAD~1 HEAD:.env main..x a=b src/release_agent shadow bin /home/me/project/src /home/me /tmp/ralph-stop-x :/ :(top) ** x:y origin main +main :main feature/x https://github.com/x/y git@x.example:y ext::sh github:a/b a/b @types/node',
  );
  const quoted = fc
    .tuple(
      fc.constantFrom("'", '"'),
      fc.oneof(path, fc.constantFrom(...PIECES), fc.constantFrom('rm -rf /', '!x', 'a b', '', 'ext::rm -rf /')),
    )
    .map(([quote, word]) => `${quote}${word}${quote}`);
  // A here-document is harmless only if the shell expands nothing in it, and if it ends where it seems to.
  const message = fc
    .tuple(
      fc.constantFrom("'EOF'", 'EOF', '"EOF"', "'E'"),
      fc.array(fc.oneof(path, fc.constantFrom(...PIECES, 'EOF', '$(rm -rf /)', '\nEOF\nrm -rf /\n')), { maxLength: 4 }),
    )
    .map(([mark, pieces]) => `"$(cat <<${mark}\n${pieces.join('\n')}\nEOF\n)"`);
  const word = fc.oneof(
    option,
    message,
    path,
    path,
    quoted,
    quoted.map((text) => `--include=${text}`),
  );
  const command = fc
    .tuple(
      program,
      fc.array(word, { maxLength: 4 }),
      fc.constantFrom('', '', '', ' 2>&1', ' >/dev/null', ' 2> /dev/null', ' >x'),
    )
    .map(([name, words, end]) => `${[name, ...words].join(' ')}${end}`);
  const line = fc
    .array(fc.tuple(command, fc.constantFrom(' && ', ' || ', '; ', ' | ', '\n', '|', ' & ')), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.flatMap(([text, joint], at) => (at === 0 ? [text] : [joint, text])).join(''));

  test.each([
    // About six in a thousand are accepted; fewer than half as many would not be chance.
    ['lines of its own words', line, times(60_000, 20_000), times(180, 60)],
    ['any text', text, 5000, 0],
  ])('%s', (_title, lines, numRuns, atLeast) => {
    let waved = 0;
    fc.assert(
      fc.property(lines, homes, projects, folders, fc.boolean(), (words, home, project, folder, isDirty) => {
        const context = guardContext({
          home,
          project,
          isDirty: () => isDirty,
          exists: (path) => path.endsWith('/src/node_modules/.bin/vitest'),
        });
        const cwd = `${project === '/' ? '' : project}${folder}` || '/';
        if (!isPlainlyHarmless(words, cwd, context)) return;
        waved++;
        expect(judgeCommand(words, cwd, context)).toEqual([]);
      }),
      { numRuns },
    );
    expect(waved).toBeGreaterThanOrEqual(atLeast);
  });
});

test('a dash alone is not harmless where every file is a secret', () => {
  const context = guardContext({
    home: '/home/me',
    project: '/home/me/.ssh',
    isDirty: () => false,
    exists: () => false,
  });
  expect(isPlainlyHarmless("head '-'", '/home/me/.ssh', context)).toBe(false);
});

test.each(['.ssh/id_rsa', 'a\n.ssh/id_rsa', '.env'])('a secret in a here-document is not harmless: %j', (name) => {
  const text = `cat "$(cat <<'EOF'\n${name}\nEOF\n)"`;
  expect(isPlainlyHarmless(text, PROJECT, guardContext({ home: '/home/me', project: PROJECT }))).toBe(false);
});

/** Words that a shell does not change. */
const PLAIN = /^[\w./:@%+,-]+$/;
const KEYWORDS = /^(?:if|then|else|elif|fi|for|do|done|while|until|case|esac|select|function|time|coproc|in|\w+=.*)$/;
const PLAIN_CASES = CASES.filter(({ command }) =>
  command.split(' ').every((word) => PLAIN.test(word) && !KEYWORDS.test(word)),
);

test('single quotes around any plain word never change the verdict', () => {
  expect(PLAIN_CASES.length).toBeGreaterThan(200);
  fc.assert(
    fc.property(fc.constantFrom(...PLAIN_CASES), fc.infiniteStream(fc.boolean()), ({ command, isDirty }, coins) => {
      const quoted = command.split(' ').map((word) => (coins.next().value === true ? `'${word}'` : word));
      expect(judged(quoted.join(' '), isDirty).map(({ tier, number }) => [tier, number])).toEqual(
        judged(command, isDirty).map(({ tier, number }) => [tier, number]),
      );
    }),
    { numRuns: 2000 },
  );
});

test('a harmless command before or after another one never changes its verdict', () => {
  const single = CASES.filter(({ command }) => !command.includes('\n') && !/[#"')(}]|^$|&$/.test(command));
  const ways = [
    (command: string) => `npm test && ${command}`,
    (command: string) => `${command}; echo done`,
    (command: string) => `true\n${command}\ntrue`,
    (command: string) => `if true; then ${command}\nfi`,
  ];
  fc.assert(
    fc.property(fc.constantFrom(...single), fc.constantFrom(...ways), ({ command, expected, isDirty }, way) => {
      expect(verdictOf(judged(way(command), isDirty), expected)).toBe(expected);
    }),
    { numRuns: 1500 },
  );
});

test('a dangerous command is blocked inside any construct', () => {
  const isReadable = (command: string) => judged(command).every(({ category }) => category !== 'unreadable command');
  const dangers = CASES.filter(
    ({ command, expected }) =>
      // `$0` is another program inside a script.
      expected.startsWith('block') && !command.startsWith('$0') && isReadable(command),
  );
  const quoted = (command: string) => `'${command.replaceAll("'", String.raw`'\''`)}'`;
  const ways = [
    (command: string) => `( ${command}\n)`,
    (command: string) => `{ ${command}\n} &`,
    (command: string) => `f() {\n${command}\n}; f`,
    (command: string) => `while true; do\n${command}\ndone`,
    (command: string) => `case x in x)\n${command}\n;; esac`,
    (command: string) => `echo "$(\n${command}\n)"`,
    (command: string) => `cat <(\n${command}\n)`,
    (command: string) => `bash -c ${quoted(command)}`,
    (command: string) => `timeout 5 env A=1 sh -c ${quoted(command)}`,
    (command: string) => `eval ${quoted(command)}`,
    (command: string) => `trap ${quoted(command)} EXIT`,
    (command: string) => `echo ${quoted(command)} | sh`,
    (command: string) => `GIT_EDITOR=${quoted(command)} git commit`,
    (command: string) => `bash <<'XX'\n${command}\nXX`,
    (command: string) => `cat > x.sh <<'XX'\n${command}\nXX\nbash x.sh`,
  ];
  fc.assert(
    fc.property(fc.constantFrom(...dangers), fc.constantFrom(...ways), ({ command, expected, isDirty }, way) => {
      expect(verdictOf(judged(way(command), isDirty), expected)).toMatch(/^block/);
    }),
    { numRuns: 1500 },
  );
});
