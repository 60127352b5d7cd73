import { expect, test } from 'vitest';
import { sampleOf } from './plan.ts';

test('a sample has the shape that was asked for, in either spelling of the types', () => {
  const schema = {
    type: 'OBJECT',
    properties: {
      title: { type: 'STRING' },
      score: { type: 'integer', minimum: 5 },
      share: { type: 'number' },
      tags: { type: 'array', items: { type: 'string' } },
      kind: { enum: ['one', 'two'] },
      only: { const: 7 },
      sure: { type: 'boolean' },
      none: { type: ['null', 'string'] },
      inner: { type: 'object' },
    },
  };
  expect(sampleOf(schema)).toEqual({
    title: 'Rehearsal',
    score: 5,
    share: 1,
    tags: [],
    kind: 'one',
    only: 7,
    sure: false,
    none: null,
    inner: {},
  });
  expect(sampleOf(undefined)).toEqual({});
});
