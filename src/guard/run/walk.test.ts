import { describe, expect, test } from 'vitest';
import { newShell } from './shell.ts';
import { walkWhole } from './walk.ts';

/** The commands that the text would run, as lists of words, in the order in which the walk records them. */
function commandsIn(text: string): string[][] {
  const shell = newShell('/home/me', '/home/me/project', '/home/me/project');
  walkWhole(text, shell);
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
    [`echo ~+/x ~-`, ['echo', '/home/me/project/x', '\0']],
    [
      `echo \${HOME%/me} \${HOME##*/} \${HOME:5} \${HOME:0:-3} \${HOME/home/x} \${HOME^^}`,
      ['echo', '/home', 'me', '/me', '/home', '/x/me', '/HOME/ME'],
    ],
    [`echo "\${HOME%"$x"}" \${#HOME} \${!HOM*}`, ['echo', '\0', '\0', '\0']],
    [`echo $'a\\0b'`, ['echo', 'a']],
    [`echo a{b,'c,d',"$HOME",{e,f}}g`, ['echo', 'abg', 'ac,dg', 'a/home/meg', 'aeg', 'afg']],
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
    ['for x in 1 2; do a; done; for ((i=0;i<2;i++)); do b; done', ['a', 'a', 'b']],
    ['case $x in (p|q) a;; *) b;& esac; c', ['a', 'b', 'c']],
    ['f() { a; }; function g { b; }; function h() ( c )', ['a', 'b', 'c']],
    ['! a; time b; coproc c', ['a', 'b', 'c']],
    ['case $(a) in $(b)) c;; esac; [[ $(d) -eq $((1 + $(e))) ]]; (( $(f) ))', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['[[ a < b && -f c ]] && d', ['d']],
    ['a 2>&1 >b <c &>d >>e', ['a']],
    ['X=1 Y=$(a) b', ['a', 'b']],
    ['l=(1 $(a) 2); b', ['a', 'b']],
    ['a <(b) > >(c)', ['b', 'a', 'c']],
    ['a `b \\`c\\`` "$(d)"', ['c', 'b', 'd', 'a']],
    ['a <<X; b\nrm\nX\nc', ['a', 'b', 'c']],
    ["a <<'X' <<-Y\n$(no)\nX\n\t$(yes)\n\tY\nb", ['yes', 'a', 'b']],
    ['a "$(b <<X\n)\nX\n)" c', ['b', 'a']],
    ['a; then b', ['a']],
    [')) a', []],
    ['if a; then b', ['a', 'b']],
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
    ['echo a 1 > x; echo b >> x; sh x', ['b']],
    ['echo "a 1" | tee x; cp x y; sh y', ['a', '1']],
    [`l=(1 2); l+=(3); a \${l[0]} "\${l[@]}" \${l[-1]}`, ['a', '1', '1', '2', '3', '3']],
    [`declare -A m=([k]=1); m[j]=2; a \${m[k]} \${m[j]} \${m[none]}`, ['a', '1', '2', '\0']],
    ['set -- 1 2 3; shift; a $1 "$@" "$*"', ['a', '2', '2', '3', '2 3']],
    ['read x y <<< "1 2 3"; a $x "$y"', ['a', '1', '2 3']],
    [`mapfile -t l < <(printf "1\\n2"); a "\${l[@]}"`, ['a', '1', '2']],
    ['printf -v x %s-%s 1 2; a $x', ['a', '1-2']],
    [`x=y; y=1; a \${!x}`, ['a', '1']],
    ['IFS=,; x=1,2; a $x "$x"', ['a', '1', '2', '1,2']],
    ['x=1; x+=2; a $x', ['a', '12']],
    ['cd src; cd /tmp; cd -; a $PWD $OLDPWD', ['a', '/home/me/project/src', '/tmp']],
    ['printf "1\\n2\\n" | while read x; do a $x; done', ['a', '2']],
    ['a $(dirname /x/y) $(basename /x/y.z .z) $(realpath ..) $(whoami)', ['a', '/x', 'y', '/home/me', 'me']],
  ])('%s', (text, last) => {
    expect(commandsIn(text).at(-1)).toEqual(last);
  });
});
