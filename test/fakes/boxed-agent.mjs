#!/usr/bin/env node
/**
 * Imitates the prompt box of Claude Code in a terminal. Usage: boxed-agent.mjs <file> [deaf enters] [work ms]. Appends
 * each prompt to the file. The first Enters, as many as given, are ignored; with `0` ms of work it shows no spinner.
 */
import { appendFileSync } from 'node:fs';

const [file, deaf = '0', workMs = '100000'] = process.argv.slice(2);
const [BEGIN, END] = ['\u001b[200~', '\u001b[201~'];
const RULE = '─'.repeat(80);
let input = '';
let isWorking = false;
let deafFor = Number(deaf);
let unread = '';

process.stdin.setRawMode(true).setEncoding('utf8');
process.stdout.write('\u001b[?2004h');
process.stdin.on('data', (text) => {
  unread += text;
  while (unread !== '' && take()) draw();
});
draw();

/** Returns false while the rest of a paste is still missing. */
function take() {
  if (!unread.startsWith(BEGIN)) {
    const key = unread[0];
    unread = unread.slice(1);
    if (key === '\r') enter();
    else if (key === '\u0003') process.exit(0);
    else input += key;
    return true;
  }
  const end = unread.indexOf(END);
  if (end < 0) return false;
  input += unread.slice(BEGIN.length, end).replaceAll('\r', '\n');
  unread = unread.slice(end + END.length);
  return true;
}

function enter() {
  if (deafFor > 0) {
    deafFor -= 1;
    return;
  }
  if (input === '') return;
  appendFileSync(file, `${JSON.stringify(input)}\n`);
  input = '';
  isWorking = Number(workMs) > 0;
  if (isWorking) setTimeout(rest, Number(workMs));
}

function rest() {
  isWorking = false;
  draw();
}

function draw() {
  const lines = input.split('\n').length;
  const shown = lines > 2 || input.length > 500 ? `[Pasted text #1 +${lines - 1} lines]` : input;
  const screen = [isWorking ? '✻ Thinking… (1s)' : '', RULE, `❯ ${shown}`, RULE, '  ? for shortcuts'];
  process.stdout.write(`\u001b[2J\u001b[H${screen.join('\r\n')}`);
}
