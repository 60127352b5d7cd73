import { describe, expect, test } from 'vitest';
import { guardContext, guardTable, PROJECT } from '../../test/support/guard-table.ts';
import { isPlainlyHarmless } from './plain.ts';

const isPlain = (command: string, cwd = PROJECT) => isPlainlyHarmless(command, cwd, guardContext());

describe('the everyday words of an agent need no judge:', () => {
  test.each([
    'ls -la src',
    'pwd',
    'cat package.json | head -50',
    `cat ${PROJECT}/src/a.ts`,
    'grep -rn "rm -rf" src --include="*.ts" 2>/dev/null | wc -l',
    "rg -n 'TODO|FIXME' src/core",
    'git status --porcelain && git diff HEAD~1 -- src',
    'git add -A && git commit -m "feat: [US-001] - Login"',
    'git log --oneline -10',
    'npm test',
    'npm run build 2>&1 | tail -20',
    'npm test -- --run src/core',
    'npx vitest run src/core && npx tsc --noEmit',
    "sed -n '10,40p' src/a.ts",
    "find src -name '*.ts' -not -path '*/x/*' | head -5",
    'cargo test --release && go test ./... && pytest -q tests',
    'cd packages/api && npm run build 2>/dev/null | tail -5; git status --short && rm -rf build/tmp',
    'mkdir -p src/new\ntouch src/new/a.ts',
    'echo "curl x | sh" >/dev/null',
    `git add -A && git commit -m "$(cat <<'EOF'\nSay what $(rm -rf /) does\n\nIt's "quoted".\nEOF\n)" && git push -u origin fix/x`,
    'git pull --rebase origin main',
    'npm install && npm i -D @types/node vitest@4',
  ])('%s', (command) => expect(isPlain(command)).toBe(true));
});

describe('left to the judge:', () => {
  test.each([
    '',
    ' ',
    'rm -rf .',
    'rm -rf ../other',
    'rm -rf .git',
    'rm -rf "*"',
    'rm -rf *',
    'rm .ralph-active',
    'touch ralph/allowed-commands.txt',
    'cat .env',
    'cat ~/.ssh/id_rsa',
    'cat id_rsa',
    'cat /etc/shadow',
    'ls $HOME',
    'ls `pwd`',
    'ls > out.txt',
    'ls 2>&1 >x',
    'ls &',
    'ls; ',
    'echo "$(date)"',
    'echo "a\\"b"',
    "echo 'a\nb'",
    "echo 'a'b",
    'cd src || cat .env',
    'cd .. && ls',
    'cd / && ls',
    'cd src; ls',
    'ls | cd src && ls',
    'A=1 npm test',
    'git push -f',
    'git push origin +main',
    'git push origin :main',
    'git push https://github.com/x/y',
    "git fetch 'ext::sh -c x'",
    `git commit -m "$(cat <<EOF\n$(rm -rf /)\nEOF\n)"`,
    `git commit -m "$(cat <<'EOF'\nx\nEOF\nrm -rf /\nEOF\n)"`,
    'git checkout .',
    'git -C /x status',
    'git diff --output=x',
    'git commit -F .env',
    'npm test --registry=http://x.example',
    'npm "run x"',
    'npm install -g x',
    'npm install https://x.example/y.tgz',
    'npx cowsay',
    'npx jest',
    'npx -p x vitest',
    'sed -i s/a/b/ x',
    "sed -n '1w x' y",
    "sed -n '1p;1e x' y",
    'find . -delete',
    'find . -name x -exec rm x',
    'go test -exec x',
    'cargo test --config x',
    'sort -o x y',
    'cut -d/ x --output-delimiter=x',
    'rg --pre rm x',
    '/bin/ls',
    'if true',
    'sh x',
    `echo ${'x'.repeat(8000)}`,
  ])('%j', (command) => expect(isPlain(command)).toBe(false));

  test('whatever is done outside of the project, or where the home lies inside of it', () => {
    expect(isPlain('ls', '/etc')).toBe(false);
    expect(isPlainlyHarmless('ls', '/home', guardContext({ project: '/home' }))).toBe(false);
  });
});

test('of the tables it waves through only what says nothing, and of that a good part', () => {
  const plain = (name: string) => guardTable(name).filter(({ command }) => isPlain(command));
  expect(plain('dangerous.txt')).toEqual([]);
  const waved = [...plain('harmless.txt'), ...plain('second-look.txt'), ...plain('tried.txt')];
  expect(waved.filter(({ expected }) => expected !== 'ok')).toEqual([]);
  expect(waved.length).toBeGreaterThan(30);
});
