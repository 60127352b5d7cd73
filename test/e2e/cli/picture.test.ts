/** The picture in README.md shows what a run looks like: a script makes it from a real run, and it is up to date. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { ON_DISK, testFolder } from '../../support/folder.ts';
import { startProgram } from '../../support/programs/program.ts';
import { ROOT } from '../../support/scene.ts';

const COMMITTED = join(ROOT, 'docs/images');
const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');
let masked: (recorded: string) => string;
let maskedTop: typeof masked;
let terminalSvg: (recorded: string) => string;

beforeAll(async () => {
  ({ masked } = (await import(join(ROOT, 'scripts/picture/record.mjs'))) as { masked: typeof masked });
  ({ maskedTop } = (await import(join(ROOT, 'scripts/picture/record-top.mjs'))) as { maskedTop: typeof masked });
  ({ terminalSvg } = (await import(join(ROOT, 'scripts/picture/terminal-svg.mjs'))) as {
    terminalSvg: typeof terminalSvg;
  });
});

test('npm run picture records a real run, which looks like the committed one but for times and ids', async () => {
  const folder = testFolder();
  const { code, stderr } = await startProgram([process.execPath, join(ROOT, 'scripts/picture.mjs'), folder], {
    // A sandbox has its own /dev/shm, and does not let node write coverage data.
    env: { ...process.env, TMPDIR: testFolder(ON_DISK), NODE_V8_COVERAGE: '' },
  }).exited;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(readdirSync(folder)).toEqual(['run.ansi', 'run.svg', 'top.ansi', 'top.svg']);
  const recorded = read(folder, 'run.ansi');
  for (const line of stripVTControlCharacters(recorded).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  // If this fails, what users see has changed: npm run picture, look at docs/images/run.svg, and commit it.
  expect(masked(recorded)).toBe(masked(read(COMMITTED, 'run.ansi')));
  expect(texts(read(folder, 'run.svg'))).toContain(
    '✗ DONE rejected: npm test is red. The failure goes into the next prompt.',
  );
  const top = stripVTControlCharacters(read(folder, 'top.ansi'));
  for (const line of top.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  // If this fails: npm run picture, look at docs/images/top.svg, and commit it.
  expect(maskedTop(top)).toBe(maskedTop(read(COMMITTED, 'top.ansi')));
  expect(texts(read(folder, 'top.svg')).join(' ')).toMatch(/4 loops · .*1 needs you.* needs you .* working \(claude\)/);
});

test('the committed picture of ralph top is well-formed, and shows what was recorded', () => {
  const svg = read(COMMITTED, 'top.svg');
  expect(openElements(svg)).toEqual([]);
  const without = (blanks: string): string => blanks.replaceAll(/\s/g, '');
  expect(without(texts(svg).join(''))).toBe(`ralph${without(stripVTControlCharacters(read(COMMITTED, 'top.ansi')))}`);
});

test('the committed picture is drawn from the committed recording, and is well-formed', () => {
  const svg = read(COMMITTED, 'run.svg');
  expect(svg).toBe(terminalSvg(read(COMMITTED, 'run.ansi')));
  expect(openElements(svg)).toEqual([]);
  // After the title of the window, everything that was on the screen, in order.
  const without = (blanks: string): string => blanks.replaceAll(/\s/g, '');
  expect(without(texts(svg).join(''))).toBe(`ralph${without(stripVTControlCharacters(read(COMMITTED, 'run.ansi')))}`);
});

test('a picture escapes what a terminal shows, keeps columns and colours, and rejects other sequences', () => {
  const svg = terminalSvg('a  <b> & "c"\n\u001b[1m\u001b[31mred\u001b[0m  \u001b[2mdim\u001b[0m ✅ ok\n');
  expect(texts(svg)).toEqual(['ralph', 'a', '<b> & "c"', 'red', 'dim', '✅', 'ok']);
  expect(openElements(svg)).toEqual([]);
  const attributesOf = (text: string): string => new RegExp(`<text ([^>]*)>${text}</text>`).exec(svg)?.[1] ?? '';
  expect(attributesOf('red')).toMatch(/^x="20" .*textLength="25\.2" .*fill="#\w+" font-weight="bold"$/);
  expect(attributesOf('dim')).toMatch(/^x="62" .*opacity="0\.6"$/);
  // The emoji takes two columns, whatever its font makes of it.
  expect(attributesOf('✅')).toMatch(/^x="95\.6" y="\d+"$/);
  expect(attributesOf('ok')).toMatch(/^x="120\.8" /);
  expect(() => terminalSvg('\u001b[48;5;1mx')).toThrow('no colour');
});

/** The unescaped text of each text element of a drawing. */
function texts(svg: string): string[] {
  const unescaped = { '&lt;': '<', '&gt;': '>', '&amp;': '&' } as const;
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = '']) =>
    text.replaceAll(/&(lt|gt|amp);/g, (entity) => unescaped[entity as keyof typeof unescaped]),
  );
}

/** Elements that are not closed; throws if they are closed out of order, or if it is not XML. */
function openElements(svg: string): string[] {
  const open: string[] = [];
  const rest = svg.replaceAll(/<(\/?)(\w+)((?: [\w:-]+="[^"<&]*")*)(\/?)>/g, (_, end, name, __, isEmpty) => {
    if (end === '') open.push(name);
    if ((end !== '' || isEmpty !== '') && open.pop() !== name) throw new Error(`</${name}> closes nothing`);
    return '';
  });
  expect(rest.replaceAll(/&(lt|gt|amp);/g, '')).not.toMatch(/[<>&]/);
  return open;
}
