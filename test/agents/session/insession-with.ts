/** What the loop inside a session must do with any real agent. The first five tests are the acceptance tests. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Script, Turn } from '../../../src/rehearsal/script/script.ts';
import { installAgents } from '../scene.ts';
import { type HostAgent, hostedSession } from './hosted-session.ts';

export interface InSessionWith {
  readonly agent: HostAgent;
  /** Whether the agent shows the user what a hook says; some show nothing of it without a screen. */
  readonly showsNotices: boolean;
  /** Whether a resumed session still has the command that was typed, and what the hooks added to it. */
  readonly keepsCommands: boolean;
  /** The flags that enable subagents, and turns in which a subagent says the promise and stops. */
  readonly subagent: { readonly flags: string; readonly turns: readonly Turn[] };
}

const WORK: Turn = { match: 'Write the note', say: 'I write it.', run: 'echo hi >> note.txt' };
const PROMISE: Turn = { say: 'All is done.\n\n<promise>DONE</promise>' };
const UNKEPT = 'You attempted to end the loop, but you did not output the completion promise';

export function insessionWith({ agent, showsNotices, keepsCommands, subagent }: InSessionWith): void {
  let program: string;
  beforeAll(() => {
    [program = ''] = installAgents(agent);
  }, 600_000);
  const host = (flags = '') => hostedSession(agent, program, flags);
  const expectNotice = (said: string, notice: string | RegExp) => {
    if (showsNotices) expect(said).toMatch(notice);
  };

  describe(`the loop inside a session of the real ${agent}`, () => {
    test('stops on the promise after work', async () => {
      const session = host();
      const { code, stderr } = await session.ask({ turns: [WORK, PROMISE] }, '/ralph-loop "Write the note"');
      expect(stderr).toContain('Rehearsal: 2 requests, 2 turns played, 0 left');
      expect(session.log()).toMatch(/iteration 0: promise found, accepted; 1 tool calls so far; PROMISE_ACCEPTED\n$/);
      expectNotice(stderr, 'Ralph loop: PROMISE_ACCEPTED at iteration 0');
      expect(session.scene.read('note.txt')).toBe('hi\n');
      expect(code).toBe(0);
    });

    test('a stop without the promise is refused, and the agent gets the task again', async () => {
      const session = host();
      const again: Turn = { ...PROMISE, match: { lastUser: UNKEPT } };
      const script = { turns: [WORK, { say: "I'm done." }, again] };
      const { stderr } = await session.ask(script, '/ralph-loop "Write the note"');
      expect(stderr).toContain('Rehearsal: 3 requests, 3 turns played, 0 left');
      const [, behind = ''] = session.asked().at(-1)?.split(UNKEPT) ?? [];
      expect(behind).toContain('Original task: Write the note');
      expect(session.log()).toMatch(/iteration 1: promise not found[\s\S]*iteration 1: promise found, accepted/);
    });

    test('ends after N iterations without a promise', async () => {
      const session = host();
      const turns = [WORK, { say: 'One.' }, { say: 'Two.' }, { say: 'Three.' }, { say: 'Four.' }];
      const { stderr } = await session.ask({ turns }, '/ralph-loop "Write the note" --max-iterations 3');
      expect(stderr).toContain('Rehearsal: 5 requests, 5 turns played, 0 left');
      expect(session.log()).toMatch(/MAX_ITERATIONS_REACHED\n$/);
      expectNotice(stderr, /Ralph loop: MAX_ITERATIONS_REACHED \(3\)/);
    });

    test('a promise at once, without a tool call, is rejected', async () => {
      const session = host();
      const rejected = 'Promise detected, but no tool calls/work were performed';
      const turns = [PROMISE, { ...WORK, match: { lastUser: rejected } }, PROMISE];
      const { stderr } = await session.ask({ turns }, '/ralph-loop "Write the note"');
      expect(stderr).toContain('Rehearsal: 3 requests, 3 turns played, 0 left');
      expect(session.log()).toMatch(/rejected: 0 tool calls, 1 needed[\s\S]*accepted; 1 tool calls so far/);
    });

    test('only the agent’s own exact promise counts: not a tool’s output, the prompt or another spelling', async () => {
      const session = host();
      const turns: Turn[] = [
        { ...WORK, run: "echo '<promise>DONE</promise>'" },
        { say: 'The tool said it, I did not: <promise>done</promise>, <promise> DONE </promise>.' },
        { match: { lastUser: UNKEPT }, say: 'Not <promise>NOT DONE</promise> either.' },
        { match: { lastUser: UNKEPT }, say: 'Now.\n```\n<promise>DONE</promise>\n```\nThat was it.' },
      ];
      const task = 'Write the note, then say <promise>DONE</promise>';
      const { stderr } = await session.ask({ turns }, `/ralph-loop "${task}"`);
      expect(stderr).toContain('Rehearsal: 4 requests, 4 turns played, 0 left');
      expect(session.log().match(/promise not found/g)).toHaveLength(2);
      expect(session.log()).toMatch(/PROMISE_ACCEPTED\n$/);
    });

    test('the task reaches the agent exactly as it was typed', async () => {
      const session = host();
      const words = String.raw`say "hi" to O'Brien,  $(id) $1 !x !{y} @{z} {{args}} %s \n`;
      const task = `Write the note:\n---\n${words} \`id\`\n---\n\ttab`;
      const turns = [WORK, { say: 'Done?' }, PROMISE];
      const { stderr } = await session.ask({ turns }, `/ralph-loop --max-iterations=4 -- ${task}`);
      expect(stderr).toContain('Rehearsal: 3 requests, 3 turns played, 0 left');
      const [first, , third] = session.asked();
      expect(first).toContain(`The task:\n${task}\n`);
      expect(third).toContain(`Original task: ${task}`);
    });

    test('two sessions in one directory have a loop each', async () => {
      const session = host();
      const turns: Turn[] = [
        { match: { anywhere: 'Task A' }, run: 'touch a-works; until [ -e b-is-over ]; do sleep 0.05; done' },
        { match: { anywhere: 'Task B' }, run: 'echo b' },
        { match: { anywhere: 'Task B' }, say: '<promise>DONE</promise>' },
        { match: { anywhere: 'Task B' }, say: '<promise>FINISHED</promise>' },
        { match: { anywhere: 'Task A' }, say: '<promise>FINISHED</promise>' },
        { match: { anywhere: 'Task A' }, say: '<promise>DONE</promise>' },
      ];
      const line = `begin '/ralph-loop "Task A"' & until [ -e a-works ]; do sleep 0.05; done
        begin '/ralph-loop "Task B" --completion-promise FINISHED'; touch b-is-over; wait`;
      const { stderr } = await session.inShell({ turns }, line);
      expect(stderr).toContain('Rehearsal: 6 requests, 6 turns played, 0 left');
      expect(session.loops()).toHaveLength(2);
      expect(session.log().match(/PROMISE_ACCEPTED/g)).toHaveLength(2);
      expect(session.log().match(/promise not found/g)).toHaveLength(2);
    });

    test("a session without a loop is left alone, whatever another session's loop does", async () => {
      const session = host();
      const turns: Turn[] = [
        { match: { anywhere: 'Task A' }, run: 'touch a-works; until [ -e b-is-over ]; do sleep 0.05; done' },
        { match: { anywhere: 'A plain question' }, say: 'A plain answer.' },
        { match: { anywhere: 'Task A' }, say: '<promise>DONE</promise>' },
      ];
      const line = `begin '/ralph-loop "Task A"' & until [ -e a-works ]; do sleep 0.05; done
        begin 'A plain question'; touch b-is-over; wait`;
      const { stderr } = await session.inShell({ turns }, line);
      expect(stderr).toContain('Rehearsal: 3 requests, 3 turns played, 0 left');
      expect(session.loops()).toHaveLength(1);
    });

    test("a subagent's promise does not count, and the subagent can stop", async () => {
      const session = host(subagent.flags);
      const script = { turns: subagent.turns, otherwise: { say: 'Unexpected.' } };
      const { stderr } = await session.ask(script, '/ralph-loop "Write the note"');
      expect(stderr).toContain(
        `Rehearsal: ${subagent.turns.length} requests, ${subagent.turns.length} turns played, 0 left`,
      );
      expect(session.log()).toMatch(/iteration 1: promise not found[\s\S]*PROMISE_ACCEPTED\n$/);
    });

    test('a loop that cannot be read lets the session stop, and says so', async () => {
      const session = host();
      const breakIt = 'for f in "$XDG_STATE_HOME"/ralph/loops/*/journal.jsonl; do echo "{broken" > "$f"; done';
      const turns: Turn[] = [{ ...WORK, run: breakIt }, { say: 'I stop.' }];
      const { code, stdout, stderr } = await session.ask({ turns }, '/ralph-loop "Write the note"');
      expect(stderr).toContain('Rehearsal: 2 requests, 2 turns played, 0 left');
      expectNotice(stdout + stderr, "ralph: the journal of this session's loop is damaged");
      expect(session.inLoop()).toEqual([]);
      expect(code).toBe(0);
    });

    test('a session that was killed is still in its loop when it is resumed', async () => {
      const session = host();
      const script: Script = {
        turns: [BEGIN, HANG, { match: { lastUser: 'Where were we' }, say: 'Here.' }, WORK_AGAIN, PROMISE],
      };
      const { stderr } = await session.inShell(script, `${KILLED}; resume 'Where were we?'`);
      expect(stderr).toContain('Rehearsal: 5 requests, 5 turns played, 0 left');
      expect(session.log()).toMatch(/iteration 1: promise not found[\s\S]*PROMISE_ACCEPTED\n$/);
      const told = session.asked()[2]?.split('You are in a Ralph loop.').length ?? 0;
      expect(told - 1).toBe(keepsCommands ? 2 : 1);
    });

    test('/cancel-ralph ends the loop without asking the agent', async () => {
      const session = host();
      const turns: Turn[] = [BEGIN, HANG, { match: { lastUser: 'Hello' }, say: 'Hello.' }];
      const line = `${KILLED}; resume /ralph-status; resume /cancel-ralph; resume Hello; resume /cancel-ralph`;
      const { stdout, stderr } = await session.inShell({ turns }, line);
      expect(stderr).toContain('Rehearsal: 3 requests, 3 turns played, 0 left');
      expect(session.log()).toMatch(/iteration 0: cancelled/i);
      expectNotice(
        stdout + stderr,
        /Ralph loop: ACTIVE, iteration 0[\s\S]*Cancelled Ralph loop \(was at iteration 0\)/,
      );
      expectNotice(stdout + stderr, 'No active Ralph loop found.');
    });

    test('an invalid command is refused with the reason, and no model is asked', async () => {
      const session = host();
      const { stdout, stderr } = await session.ask({ turns: [PROMISE] }, '/ralph-loop "Write it" --max-iteration 3');
      expect(stderr).toContain('the command asked no model');
      expectNotice(stdout + stderr, 'The loop was not started: ');
      expect(session.loops()).toEqual([]);
    });
  });
}

/** The agent is killed in the middle of a tool call. */
const BEGIN: Turn = { match: 'Write the note', say: 'I begin.', run: 'true' };
const HANG: Turn = { match: { anywhere: 'Write the note' }, run: 'touch started; tail -f /dev/null' };
const WORK_AGAIN: Turn = { match: { lastUser: UNKEPT }, run: 'echo hi >> note.txt' };
const KILLED = `begin '/ralph-loop "Write the note"' & agent=$!; until [ -e started ]; do sleep 0.05; done
  tree() { echo "$1"; for child in $(ps -o pid= --ppid "$1"); do tree "$child"; done; }
  all=$(tree $agent); kill -9 $all; wait $agent
  for one in $all; do while ps -o stat= -p $one | grep -q '^[^Z]'; do sleep 0.05; done; done`;
