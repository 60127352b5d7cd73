import { describe, expect, test } from 'vitest';
import { newShell } from '../run/shell-state.ts';
import { walkScript } from '../run/walk.ts';
import { parse } from './parse.ts';

/** The commands that the text would run, as lists of words, in the order in which they are noted. */
function commandsIn(text: string): string[][] {
  const shell = newShell('/home/me', '/home/me/project', '/home/me/project');
  walkScript(parse(text), shell);
  return shell.found
    .filter(({ name }) => name !== '')
    .map(({ program, args }) => [program, ...args.map((arg) => arg.text)]);
}

describe('words', () => {
  test.each<[text: string, words: string[]]>([
    [`a b  c`, ['a', 'b', 'c']],
    [`'a b' "c d" e\\ f`, ['a b', 'c d', 'e f']],
    [`a'b'"c"d`, ['abcd']],
    [`a '' ""`, ['a', '', '']],
    [`$'\\x72\\155\\u0021' x`, ['rm!', 'x']],
    [`echo "a\\"b\\$c\\d"`, ['echo', 'a"b$c\\d']],
    [`echo 'a\\'`, ['echo', 'a\\']],
    [`a \\\nb`, ['a', 'b']],
    [`a#b #c d`, ['a#b']],
    [`a{1,2}b '{1,2}' {x}`, ['a1b', 'a2b', '{1,2}', '{x}']],
    [`{a,b{c,d}}`, ['a', 'bc', 'bd']],
    [`echo $HOME "$PWD"/x '$HOME'`, ['echo', '/home/me', '/home/me/project/x', '$HOME']],
    [`echo \${NO:-a b} "\${NO:-a b}"`, ['echo', 'a', 'b', 'a b']],
    [`echo $((1 + (2))) x`, ['echo', '\0', 'x']],
    [`echo "unclosed`, ['echo', 'unclosed']],
    [`ls @(a|b) x`, ['ls', '@(a|b)', 'x']],
  ])('%s', (text, words) => {
    expect(commandsIn(text)).toEqual([words]);
  });
});

describe('commands', () => {
  test.each<[text: string, commands: string[]]>([
    ['a; b & c && d || e | f', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['a\nb\n\n# c\nd', ['a', 'b', 'd']],
    ['(a; (b)) && { c; }', ['a', 'b', 'c']],
    ['if a; then b; elif c; then d; else e; fi; f', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['while a; do b; done; until c; do d; done', ['a', 'b', 'c', 'd']],
    ['for x in 1 2; do a; done; for ((i=0;i<2;i++)); do b; done', ['a', 'a', ':', 'b']],
    ['case $x in (p|q) a;; *) b;& esac; c', [':', 'a', 'b', 'c']],
    ['f() { a; }; function g { b; }; function h() ( c )', ['a', 'b', 'c']],
    ['! a; time b; coproc c', ['a', 'b', 'c']],
    ['[[ a < b && -f c ]] && d', ['[[', 'd']],
    ['a 2>&1 >b <c &>d >>e', ['a']],
    ['X=1 Y=$(a) b', ['a', 'b']],
    ['l=(1 $(a) 2); b', ['a', 'b']],
    ['a <(b) > >(c)', ['c', 'b', 'a']],
    ['a `b \\`c\\`` "$(d)"', ['c', 'b', 'd', 'a']],
    ['a <<X; b\nrm\nX\nc', ['a', 'b', 'c']],
    ["a <<'X' <<-Y\n$(no)\nX\n\t$(yes)\n\tY\nb", ['yes', 'a', 'b']],
    ['a "$(b <<X\n)\nX\n)" c', ['b', 'a']],
    ['then a; fi } done', ['a', 'fi']],
    [')) a', ['a']],
  ])('%j', (text, commands) => {
    expect(commandsIn(text).map(([name]) => name)).toEqual(commands);
  });
});

describe('what a shell remembers', () => {
  test.each<[text: string, last: string[]]>([
    ['x=1; y="$x 2"; a $y "$y"', ['a', '1', '2', '1 2']],
    ['export X=1; a $X', ['a', '1']],
    ['x=1; (x=2); a $x', ['a', '1']],
    ['cd src; a $PWD', ['a', '/home/me/project/src']],
    ['(cd src); a $PWD', ['a', '/home/me/project']],
    ['cd -; a $PWD', ['a', '\0']],
    ['f() { a "$2" "$1"; }; f 1 2', ['a', '2', '1']],
    ["alias b='a 1'; b 2", ['a', '1', '2']],
    ['a $(echo 1 2) "$(printf %s-%s 3 4)"', ['a', '1', '2', '3-4']],
    ['echo MSAy | base64 -d | xargs a', ['a', '1', '2']],
    ['printf "a 1" > x; sh x', ['a', '1']],
  ])('%s', (text, last) => {
    expect(commandsIn(text).at(-1)).toEqual(last);
  });
});
