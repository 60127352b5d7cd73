import { describe, expect, test } from 'vitest';
import { NO_PROGRESS } from '../../core/progress/progress.ts';
import type { IterationMode } from './list/allowed-changes.ts';
import { storiesPrompt } from './prompt.ts';
import { storiesRequest } from './request.ts';
import { storiesRules } from './rules.ts';

interface Parts {
  readonly text: string;
  readonly mode: IterationMode;
  readonly story: { readonly id: string; readonly title: string; readonly reviewCount: number };
  readonly ralphDir: string;
  readonly skipReview: boolean;
  readonly verifies: boolean;
  readonly note: string | null;
  readonly answer: string | null;
}

const PARTS: Parts = {
  text: 'Do it.\n',
  mode: 'implement',
  story: { id: 'US-001', title: 'A shop', reviewCount: 0 },
  ralphDir: 'ralph',
  skipReview: false,
  verifies: false,
  note: null,
  answer: null,
};

/** The prompt of iteration 3 of 15, with at most 5 reviews of a story. */
function prompted({ text, mode, story, ralphDir, skipReview, verifies, note, answer }: Parts): string {
  const request = storiesRequest({ ralphDir, skipReview, maxIterations: 15, reviewCap: 5 });
  const files = { tasks: 't', prd: 'd' };
  const data = {
    ...storiesRules.begin(request),
    note,
    answer,
    running: { ...files, mode, story, prompt: 'p', head: null, code: null, beganAt: 0 },
    inputs: {
      ...files,
      prompt: text,
      promptCopy: 'p',
      list: { is: 'open', mode, story },
      between: null,
      pluginDir: null,
      verifyCommands: verifies ? ['npm test'] : [],
    },
  } as const;
  return storiesPrompt({ iteration: 3, data, progress: NO_PROGRESS, terms: {} });
}

describe('the numbers', () => {
  test.each([
    ['$RALPH_ITERATION of $RALPH_MAX_ITERATIONS', '3 of 15'],
    ['{{RALPH_ITERATION}}/{{RALPH_MAX_ITERATIONS}}', '3/15'],
    ['$RALPH_ITERATION.', '3.'],
    ['$RALPH_ITERATIONS $RALPH_MAX_ITERATIONS2', '$RALPH_ITERATIONS $RALPH_MAX_ITERATIONS2'],
    ["$1 $& $$ $` $' \\n `rm -rf /` $(id)", "$1 $& $$ $` $' \\n `rm -rf /` $(id)"],
    ['{{RALPH_$RALPH_ITERATION}}', '{{RALPH_3}}'],
  ])('%j becomes %j', (text, wanted) => {
    expect(prompted({ ...PARTS, text }).split('\n')[0]).toBe(wanted);
  });
});

describe('the section of this iteration', () => {
  test('names mode and story', () => {
    expect(prompted(PARTS)).toBe('Do it.\n\n## This iteration\n\n- Mode: implement\n- Story: US-001 (A shop)\n');
  });

  test('a title with line breaks stays one line', () => {
    const story = { ...PARTS.story, title: 'A\n## shop' };
    expect(prompted({ ...PARTS, story })).toContain('- Story: US-001 (A ## shop)\n');
  });

  test('names the folder if it is another one', () => {
    expect(prompted({ ...PARTS, ralphDir: 'docs/plan' })).toContain(
      '- Story: US-001 (A shop)\n- Folder: `docs/plan/`; read it wherever a file of `ralph/` is meant.\n',
    );
  });

  test('counts the reviews', () => {
    const review = { ...PARTS, mode: 'review' as const };
    expect(prompted(review)).toContain('- This is review 1 of at most 5.\n');
    expect(prompted({ ...review, verifies: true })).toContain(
      '5.\n- If you approve it, the loop runs `verifyCommands` itself: if one fails, the approval does not count.\n',
    );
    const last = { ...review, story: { ...PARTS.story, reviewCount: 4 } };
    expect(prompted(last)).toContain(
      '- This is review 5 of at most 5: the last one, so approve it; what is left to say goes into reviewFeedback, prefixed with `[AUTO-APPROVED AT CAP]`.\n',
    );
  });

  test('says that there are no reviews', () => {
    expect(prompted({ ...PARTS, skipReview: true })).toContain('- There are no reviews (`skipReview`).');
  });

  test('quotes why the last iteration did not count, and what a person answered', () => {
    const prompt = prompted({ ...PARTS, note: 'one\n\ntwo', answer: 'Files.' });
    expect(prompt).toContain('The last iteration did not count:\n\n> one\n>\n> two\n');
    expect(prompt).toContain("A person has answered the loop's question:\n\n> Files.\n");
  });
});
