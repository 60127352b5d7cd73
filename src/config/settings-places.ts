/** Finds the file, line and column of an error in the settings. */
import type * as z from 'zod/mini';
import { type Fields, isFields } from '../core/text/json.ts';
import { placesInJson } from '../core/text/json-fault.ts';
import { frame, placeName } from './json-error.ts';

/** Attaches to a layer the text that it was parsed from. A symbol, so that it is not taken for a setting. */
const TEXT = Symbol('text');

export const withText = (layer: Fields, text: string): Fields => Object.defineProperty(layer, TEXT, { value: text });

/**
 * The faults, one per issue, with their positions; a single one with its line as well, unless that can be secret.
 * `layers`: the highest first.
 */
export function withPlaces(
  faults: readonly string[],
  issues: readonly z.core.$ZodIssue[],
  layers: readonly { readonly file: string; readonly layer: unknown; readonly isSecret?: boolean }[],
): string[] {
  return faults.map((fault, index) => {
    const issue = issues[index];
    const isKey = issue?.code === 'unrecognized_keys';
    const path = isKey ? [...issue.path, issue.keys[0] ?? ''] : (issue?.path ?? []);
    for (const { file, layer, isSecret } of layers) {
      const text = isFields(layer) && TEXT in layer ? String(layer[TEXT]) : null;
      const places = text === null ? null : placesInJson(text, path);
      if (text === null || places === null) continue;
      const at = (isKey ? places.key : null) ?? places.value;
      return [
        `${placeName(text, at, file)}: ${fault}`,
        ...(faults.length === 1 && isSecret !== true ? frame(text, at) : []),
      ].join('\n');
    }
    return fault;
  });
}
