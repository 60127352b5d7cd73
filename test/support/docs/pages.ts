/** The pages of the documentation and the code in them. A test runs each fenced block marked `sh run` or `js run`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');

export const readPage = (page: string): string => readFileSync(join(root, page), 'utf8');

const inDocs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));

/** The pages for users. */
export const PAGES = ['README.md', 'plugin/README.md', ...inDocs.map((name) => `docs/${name}`)];

/** Those, and the pages for contributors. */
export const ALL_PAGES = [
  ...PAGES,
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs/adr')).map((name) => `docs/adr/${name}`),
];

export interface Block {
  /** The words after the fence, such as `sh run`. */
  readonly info: string;
  readonly code: string;
}

const FENCED = /^```(.*)\n([\s\S]*?)^```$/gm;

export function blocksIn(text: string): Block[] {
  return [...text.matchAll(FENCED)].map(([, info = '', code = '']) => ({ info, code }));
}

export function proseIn(text: string): string {
  return text.replaceAll(FENCED, '');
}

/** The inline code outside blocks, each on one line. */
export function spansIn(text: string): string[] {
  return [...proseIn(text).matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll(/\s+/g, ' '));
}

/** The examples of a page that a test runs, in order. */
export function examplesIn(text: string): Block[] {
  return blocksIn(text).filter(({ info }) => info.split(' ').includes('run'));
}
