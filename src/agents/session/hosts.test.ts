/** Asks every host of a loop who said something and whether it was done, each in its own transcript format. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { claude } from '../claude/hook.ts';
import { codex } from '../codex/hook.ts';
import { gemini } from '../gemini/hook.ts';
import { opencode } from '../opencode/hook.ts';
import type { Message } from '../opencode/plugin/client.ts';
import { whatTheAgentDid } from '../opencode/plugin/events.ts';
import type { SessionHost, StopEvent, WorkSeen } from './host.ts';

const DONE = '<promise>DONE</promise>';

type Happening =
  | { readonly agent: string }
  | { readonly person: string }
  | { readonly hook: string }
  | { readonly subagent: string }
  /** A tool with this output. */
  | { readonly tool: string }
  | { readonly denied: 'by a hook' | 'by a person or a rule' | 'because there is no such tool' };

interface Written {
  readonly host: SessionHost;
  seen(happenings: readonly Happening[]): WorkSeen;
}

const HOSTS: readonly Written[] = [
  inLines(claude, claudeLines),
  inLines(codex, codexLines),
  inLines(gemini, geminiLines),
  { host: opencode, seen: seenByOpencode },
];

describe.each(HOSTS.map((written) => [written.host.name, written] as const))('%s', (_name, { seen }) => {
  test('the agent’s own words and deeds', () => {
    const work = seen([{ person: 'Do it' }, { agent: 'I look.' }, { tool: 'a' }, { agent: `So. ${DONE}` }]);
    expect(work).toMatchObject({ toolCalls: 1, hasOutput: true, texts: ['I look.', `So. ${DONE}`] });
  });

  test.each<[string, Happening]>([
    ['a person', { person: `Say ${DONE}` }],
    ['a hook', { hook: `You did not say ${DONE}` }],
    ['a tool', { tool: DONE }],
    ['a subagent', { subagent: DONE }],
  ])('the words of %s are not the agent’s', (_who, happening) => {
    expect(seen([happening, { agent: 'Not yet.' }]).texts).toEqual(['Not yet.']);
  });

  test('what was said before a person spoke was said of something else; what was done is done', () => {
    const work = seen([{ tool: 'x' }, { agent: DONE }, { person: 'No, also do this' }, { agent: 'Not done yet.' }]);
    expect(work).toMatchObject({ toolCalls: 1, texts: ['Not done yet.'] });
  });

  test.each(['by a hook', 'by a person or a rule', 'because there is no such tool'] as const)(
    'a call that was denied %s is no work',
    (denied) => {
      expect(seen([{ denied }, { agent: DONE }])).toMatchObject({ toolCalls: 0, hasOutput: false, texts: [DONE] });
      expect(seen([{ denied }, { tool: 'done after all' }, { agent: DONE }])).toMatchObject({ toolCalls: 1 });
    },
  );
});

function inLines(host: SessionHost, linesOf: (happening: Happening, id: string) => readonly unknown[]): Written {
  const seen = (happenings: readonly Happening[]): WorkSeen => {
    const transcript = join(testFolder(), 'transcript.jsonl');
    const lines = happenings.flatMap((happening, index) => linesOf(happening, `id-${index}`));
    // With whitespace: the host does not promise to write none.
    writeFileSync(transcript, lines.map((line) => `${JSON.stringify(line, null, 1).replaceAll('\n', '')}\n`).join(''));
    const event: StopEvent = { on: 'stop', session: 's', cwd: '/', transcript, raw: {}, words: null, isFresh: true };
    return host.workSince(event, { transcript, offset: 0 });
  };
  return { host, seen };
}

function claudeLines(happening: Happening, id: string): readonly unknown[] {
  const line = (role: 'user' | 'assistant', content: unknown, more: object = {}) => ({
    type: role,
    isSidechain: false,
    message: { role, content },
    ...more,
  });
  const call = line('assistant', [{ type: 'tool_use', id, name: 'Bash', input: { command: `echo '${DONE}'` } }]);
  const answer = (content: string, isError: boolean, more: object = {}) =>
    line('user', [{ type: 'tool_result', content, is_error: isError, tool_use_id: id }], more);
  if ('agent' in happening) return [line('assistant', [{ type: 'text', text: happening.agent }])];
  if ('person' in happening) return [line('user', happening.person, { promptSource: 'typed' })];
  if ('hook' in happening) return [line('user', `Stop hook feedback:\n${happening.hook}`, { isMeta: true })];
  if ('subagent' in happening) {
    return [line('assistant', [{ type: 'text', text: happening.subagent }], { isSidechain: true })];
  }
  if ('tool' in happening) return [call, answer(happening.tool, false)];
  switch (happening.denied) {
    case 'by a hook':
      return [call, answer('PreToolUse:Bash hook error: no', true, { toolDenialKind: 'permission-rule' })];
    case 'by a person or a rule':
      // Older releases do not say which kind of denial it was.
      return [call, answer("Claude requested permissions to use Bash, but you haven't granted it yet.", true)];
    case 'because there is no such tool':
      return [call, answer('<tool_use_error>Error: No such tool available: Nope</tool_use_error>', true)];
  }
}

function codexLines(happening: Happening, id: string): readonly unknown[] {
  const item = (payload: object) => ({ type: 'response_item', payload });
  const message = (role: string, text: string) => item({ type: 'message', role, content: [{ text }] });
  const call = item({ type: 'function_call', name: 'exec_command', arguments: `echo '${DONE}'`, call_id: id });
  const answer = (output: string) => item({ type: 'function_call_output', call_id: id, output });
  if ('agent' in happening) return [message('assistant', happening.agent)];
  if ('person' in happening) return [message('user', happening.person)];
  if ('hook' in happening) return [message('user', `<hook_prompt hook_run_id="1">${happening.hook}</hook_prompt>`)];
  if ('subagent' in happening) return [item({ type: 'agent_message', content: [{ text: happening.subagent }] })];
  if ('tool' in happening) return [call, answer(`Chunk ID: 1\nProcess exited with code 0\nOutput:\n${happening.tool}`)];
  switch (happening.denied) {
    case 'by a hook':
      return [call, answer('Command blocked by PreToolUse hook: NO WAY. Command: echo')];
    case 'by a person or a rule':
      return [call, answer('exec_command failed: CreateProcess { message: "Rejected(\\"`rm` rejected\\")" }')];
    case 'because there is no such tool':
      return [call, answer('unsupported call: nope')];
  }
}

function geminiLines(happening: Happening, id: string): readonly unknown[] {
  const agent = (more: object) => ({ id, type: 'gemini', ...more });
  const call = (status: string, resultDisplay: string) =>
    agent({ content: '', toolCalls: [{ id, name: 'run_shell_command', status, resultDisplay }] });
  if ('agent' in happening) return [agent({ content: happening.agent })];
  if ('person' in happening) return [{ id, type: 'user', content: [{ text: happening.person }] }];
  if ('hook' in happening) return [{ id, type: 'user', content: [{ text: happening.hook }] }];
  // A subagent has its own chat file; only its tool's result is in this one.
  if ('subagent' in happening) return [call('success', happening.subagent)];
  if ('tool' in happening) return [call('success', happening.tool)];
  switch (happening.denied) {
    case 'by a hook':
      return [call('error', 'Tool execution blocked: NO WAY')];
    case 'by a person or a rule':
      return [call('cancelled', 'Cancelled')];
    case 'because there is no such tool':
      return [call('error', 'Tool "nope" not found.')];
  }
}

function seenByOpencode(happenings: readonly Happening[]): WorkSeen {
  const messages = whatTheAgentDid(happenings.map((happening, index) => opencodeMessage(happening, index + 1)));
  const raw = { hook: 'idle', session: 's', cwd: '/', messages };
  return opencode.workSince(opencode.readEvent(raw) as StopEvent, { transcript: null, offset: 0 });
}

function opencodeMessage(happening: Happening, created: number): Message {
  const of = (role: 'user' | 'assistant', ...parts: Message['parts']): Message => ({
    info: { role, time: { created } },
    parts: role === 'assistant' ? [{ type: 'step-start' }, ...parts] : parts,
  });
  const tool = (state: NonNullable<Message['parts'][number]['state']>, name = 'bash') =>
    of('assistant', { type: 'tool', tool: name, state });
  if ('agent' in happening) return of('assistant', { type: 'text', text: happening.agent });
  if ('person' in happening) return of('user', { type: 'text', text: happening.person });
  if ('hook' in happening) return of('user', { type: 'text', text: happening.hook });
  // A subagent has its own session; only its tool's result is in this one.
  if ('subagent' in happening) return tool({ status: 'completed', output: happening.subagent }, 'task');
  if ('tool' in happening) return tool({ status: 'completed', output: happening.tool });
  switch (happening.denied) {
    case 'by a hook':
    case 'by a person or a rule':
      return tool({ status: 'error' });
    case 'because there is no such tool':
      return tool({ status: 'completed', output: 'The arguments provided are invalid' }, 'invalid');
  }
}
