import { expect, test } from 'vitest';
import { pickTurn } from '../server/plan.ts';
import type { Script, Turn } from './script.ts';
import { parseScript, type StarterProject, starterText } from './script-file.ts';

const bare: StarterProject = { completionResponse: 'DONE', guardrails: [], commits: false };

function scriptFor(project: Partial<StarterProject>): Script {
  return parseScript(starterText({ ...bare, ...project }), 'starter.yaml');
}

/** The model's answers to these questions, asked one after the other. */
function answers(script: Script, questions: readonly string[]): Turn[] {
  const played = new Map<number, number>();
  return questions.map((lastUserText) => {
    const { turn, answer } = pickTurn(script, played, { lastUserText, text: lastUserText, model: 'm' });
    if (answer.kind === 'turn') played.set(answer.index, (played.get(answer.index) ?? 0) + 1);
    return turn;
  });
}

test('the work is done, then the completion response is said, as often as it is asked', () => {
  const [work, done, again] = answers(scriptFor({}), ['Do it.', 'The model was here.', 'Do it.']);
  // Not in .ralph/, where a sandbox does not let the agent write.
  expect(work).toMatchObject({ write: { path: 'rehearsal-note.txt' }, run: 'cat rehearsal-note.txt' });
  expect(done?.say).toContain('<response>DONE</response>');
  expect(done?.say).toContain('<promise>DONE</promise>');
  expect(again?.say).toBe(done?.say);
});

test("the project's own completion response is said, whatever it holds", () => {
  const completionResponse = `it's "all" done: {x} # \\ ✓`;
  const turns = answers(scriptFor({ completionResponse }), ['Do it.', 'x']);
  expect(turns[1]?.say).toContain(`<response>${completionResponse}</response>`);
});

test('a guardrail that failed is answered once with work, then with the completion response', () => {
  const guardrails = ['npm test', 'grep -q "a: b" c.txt'];
  const failed = 'Do it.\n\nGuardrail "grep -q "a: b" c.txt" failed with exit code 1.\nOutput (truncated):';
  const turns = answers(scriptFor({ guardrails }), ['Do it.', 'x', failed, 'fixed', failed]);
  expect(turns[2]).toMatchObject({ say: 'I fix what the guardrail found.', run: 'echo "fixed"' });
  expect(turns[3]?.say).toContain('<response>DONE</response>');
  expect(turns[4]?.say).toContain('<response>DONE</response>');
});

test('a commit message is given whenever one is asked for, and only in a project that commits', () => {
  const asked = 'Provide a short imperative commit message for the changes.';
  expect(answers(scriptFor({ commits: true }), [asked, asked]).map(({ say }) => say)).toEqual([
    'Write a note',
    'Write a note',
  ]);
  expect(scriptFor({}).turns.some(({ match }) => match === 'Provide a short imperative commit message')).toBe(false);
});
