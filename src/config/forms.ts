/** The building blocks of the settings' schema, with their error messages. */
import * as z from 'zod/mini';
import { parseDuration } from '../core/text/duration.ts';
import { nearest } from '../core/text/nearest.ts';

export const positiveInteger = (what: string) => {
  const error = expected('a positive integer');
  return z.int({ error }).check(z.positive({ error }), z.describe(what));
};

export const whole = (what: string, of: string) => {
  const error = expected(of);
  return z.int({ error }).check(z.nonnegative({ error }), z.describe(what));
};

export const milliseconds = (what: string) => whole(what, 'a whole number of milliseconds');

export const text = (what: string) => z.string({ error: expected('a string') }).check(z.describe(what));

export const filledText = (what: string) => text(what).check(z.minLength(1, { error: 'must not be empty' }));

export const flag = (what: string) => z.boolean({ error: expected('true or false') }).check(z.describe(what));

export const list = <Item extends z.ZodMiniType>(item: Item, what: string) =>
  z.array(item, { error: expected('a list') }).check(z.describe(what));

export const paths = (what: string) =>
  z.optional(list(filledText('A path: absolute, relative to the work tree, or starting with ~.'), what));

export const duration = (what: string) =>
  text(what).check(
    z.refine((value) => parseDuration(value) !== null, { error: expected('a duration such as "90s" or "10m"') }),
  );

export const group = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === 'invalid_type') return expected('an object')(issue);
      if (issue.code !== 'unrecognized_keys') return undefined;
      return issue.keys.map((key) => `${key}${meantOf(key, Object.keys(shape))}`).join('\n');
    },
  });

/** A hint that names the known word that was probably meant; empty if there is none. */
export function meantOf(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === null ? '' : ` (did you mean "${meant}"?)`;
}

export function expected(what: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => `must be ${what}, got ${shown(input)}`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? 'nothing');
}
