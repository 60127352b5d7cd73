/**
 * However a loop of any kind ends, its last lines say why, after how long, at what cost, whether the work is committed,
 * and which commands to type next; and those commands work.
 */
import { expect, test } from 'vitest';
import type { Exited } from '../support/programs/program.ts';
import { AT_WORK, type Bench, KIND_NAMES, KINDS, type KindName, type Play } from './bench.ts';

interface Situation {
  readonly play: Play;
  readonly outcome: RegExp;
  /** By kind, where the exit codes differ. */
  readonly code: number | Readonly<Record<KindName, number>>;
  /** Text that the last lines must also contain. */
  readonly says?: Readonly<Record<KindName, string>>;
  end(bench: Bench): Promise<Exited>;
}

const FIRE = 'exit 7: the disk is on fire';

const SITUATIONS: Readonly<Record<string, Situation>> = {
  done: {
    play: (done) => done,
    outcome: /^✓ Done in \d iterations? · /,
    code: 0,
    end: (bench) => bench.begin().exited,
  },
  'the limit': {
    play: () => 'echo at work',
    outcome: /^✗ Stopped at the limit of 1 (iteration|attempt) · /,
    code: { run: 1, stories: 1, tasks: 1, swarm: 0 },
    end: (bench) => bench.begin(1).exited,
  },
  'an agent that fails': {
    play: () => 'echo "the disk is on fire" >&2; exit 7',
    outcome: /^✗ Stopped (after 5 iterations: the agent failed 5 times in a row|at the limit of 5) /,
    code: { run: 3, stories: 3, tasks: 1, swarm: 1 },
    // The screen of a tmux window mixes everything that the agent prints, so its error cannot be singled out.
    says: { run: FIRE, stories: FIRE, tasks: FIRE, swarm: 'exit 7' },
    end: (bench) => bench.begin(5).exited,
  },
  'a signal': {
    play: AT_WORK,
    outcome: /^! Interrupted after 1 iteration/,
    code: 130,
    async end(bench) {
      const loop = bench.begin();
      await bench.atWork();
      loop.signal('SIGINT');
      await loop.says(bench.signalled);
      loop.signal('SIGINT');
      return loop.exited;
    },
  },
};

/** The output from the verdict to the end as one line, and the commands that it shows. */
function closingOf({ stdout, stderr }: Exited): { readonly text: string; readonly commands: readonly string[] } {
  const lines = `${stdout}\n${stderr}`.split('\n').map((line) => line.replace(/^\[ralph\] ?/, ''));
  const first = lines.findLastIndex((line) => /^[✓✗!] /.test(line));
  const closing = first < 0 ? [] : lines.slice(first);
  return {
    text: closing.map((line) => line.trim()).join(' '),
    commands: closing.flatMap((line) => /^ {2}((?:ralph|swarm) .+?)(?: {3}|$)/.exec(line)?.[1] ?? []),
  };
}

for (const kind of KIND_NAMES) {
  test.each(Object.entries(SITUATIONS))(`${kind}: %s`, async (name, { play, outcome, code, says, end }) => {
    const bench = KINDS[kind](play);
    const ended = await end(bench);
    const { text, commands } = closingOf(ended);
    expect({ code: ended.code, text }).toEqual({
      code: typeof code === 'number' ? code : code[kind],
      text: expect.stringMatching(outcome),
    });
    expect(text).toMatch(/ · \d+[smh]( \d+[smh])? · (cost unknown|no agent was run|\$)/);
    expect(text).toMatch(
      /(Everything is committed|nothing to commit|not committed|no git repository|committed is unknown: )/,
    );
    expect(text).toContain(says?.[kind] ?? '');
    expect(name === 'done' || commands.length > 0).toBe(true);
    for (const command of commands) {
      // The loop may fail again for the same reason, but ralph must know the command.
      const typed = await bench.type(command.replace('"…"', '"yes"'));
      const said = `${typed.stdout}${typed.stderr}`;
      expect({ command, said }).toEqual({
        command,
        said: expect.not.stringMatching(
          /there is no (command|flag)|has no flag| needs [-<]|no (unfinished )?(stories )?loop|this is a bug/,
        ),
      });
    }
  });
}
