/** Chooses the format of an output file by its name. */
import { RalphError } from '../../core/error.ts';

/** `endings`: the formats by file extension. `otherwise`: the format for the terminal. */
export function formatOf<Format extends string>(
  output: string | undefined,
  endings: Readonly<Record<string, Format>>,
  otherwise: Format,
): Format {
  const [, ending = ''] = /\.(\w+)$/.exec(output ?? '') ?? [];
  const found = Object.hasOwn(endings, ending) ? endings[ending] : undefined;
  if (output === undefined || found !== undefined) return found ?? otherwise;
  const all = Object.keys(endings).map((one) => `.${one}`);
  throw new RalphError('FORMAT', `${output} does not say which format to use`, {
    hint: `End its name with ${all.slice(0, -1).join(', ')} or ${all.at(-1) ?? ''}, or give --format.`,
  });
}
