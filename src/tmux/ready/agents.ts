/**
 * How interactive agents look at a terminal: where they take a prompt, and by what one sees that they work. Seen in
 * tmux at the versions that test/fixtures/screens holds.
 */

import type { Look } from '../screen-look.ts';
import { type Input, inputBehindMark, inputBesideBar, inputBetweenRules } from './input.ts';

export interface InteractiveAgent {
  readonly name: string;
  input(lines: readonly string[]): Input;
  isBusy(lines: readonly string[], look: Look): boolean;
}

const NO_PLACEHOLDER = /^$/;
const SPINNING = /^\s*[\u2801-\u28ff]\s/;

const claude: InteractiveAgent = {
  name: 'claude',
  input: (lines) => inputBetweenRules(lines, /^[❯>!](?:\s|$)/, /^Try "/),
  // After a paste the footer says "paste again to expand" instead of how to interrupt, so the spinner counts too.
  isBusy: (lines) => has(lines, /^[·✢✳✶✻✽∗*] \S+…(?: \(|$)/) || has(lines.slice(-4), /\besc to interrupt\b/),
};

const codex: InteractiveAgent = {
  name: 'codex',
  // A choice in a dialog has the same mark; below it stands which key continues.
  input: (lines) =>
    has(lines.slice(-3), /^\s*(?:enter (?:continue|confirm)|press enter to)\b/i)
      ? null
      : inputBehindMark(lines, /^›(?:\s|$)/, /^Ask Codex to do anything$/),
  // The line with the time is not there while text comes in; the spinner in the title is.
  isBusy: (lines, { title }) => SPINNING.test(title) || has(lines, /^[•◦] .*\besc to interrupt\)/),
};

const gemini: InteractiveAgent = {
  name: 'gemini',
  input: (lines) => {
    const box = lines.slice(lines.findLastIndex((line) => /^[─▀▄]{10,}$/.test(line)) + 1);
    return box.length === lines.length
      ? null
      : inputBehindMark(box, /^ ?[*>!](?:\s|$)/, /^(?:Type your message or @path\/to\/file|Type your shell command)$/);
  },
  isBusy: (lines, { title }) => title.startsWith('✦') || has(lines, /\(esc to cancel\b/),
};

const opencode: InteractiveAgent = {
  name: 'opencode',
  input: (lines) => inputBesideBar(lines, /^Ask anything…/),
  isBusy: (lines) => has(lines.slice(-4), /\besc (?:again to )?interrupt\b/),
};

const copilot: InteractiveAgent = {
  name: 'copilot',
  input: (lines) => inputBetweenRules(lines, /^❯(?:\s|$)/, NO_PLACEHOLDER),
  // While it loads its skills it says so in the place of what it works on, also after it was asked something.
  isBusy: (lines) => has(lines.slice(-4), /^\s*\S (?:Working\b.* esc esc (?:interrupt|edit prompt)\b|Loading:)/),
};

const qwen: InteractiveAgent = {
  name: 'qwen',
  input: (lines) => inputBetweenRules(lines, /^[*>!](?:\s|$)/, /^Type your message or @path\/to\/file$/),
  isBusy: (lines) => has(lines, /\besc to cancel\)/),
};

const pi: InteractiveAgent = {
  name: 'pi',
  input: (lines) => inputBetweenRules(lines, /^/, NO_PLACEHOLDER),
  isBusy: (lines) => has(lines, /^\s*[\u2801-\u28ff] Working\.\.\./),
};

export const INTERACTIVE_AGENTS: readonly InteractiveAgent[] = [claude, codex, gemini, opencode, copilot, qwen, pi];

function has(lines: readonly string[], sign: RegExp): boolean {
  return lines.some((line) => sign.test(line));
}
