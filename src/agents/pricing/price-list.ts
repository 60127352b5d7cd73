/** Model prices from @pydantic/genai-prices. The list is half a megabyte, so pricing.ts loads it only when needed. */
import { calcPrice } from '@pydantic/genai-prices';
import type { CallUsage } from '../../core/events.ts';

export interface Price {
  readonly usd: number;
  /** The entry in the list, as `provider/model`. */
  readonly entry: string;
}

/** Some models charge more for longer prompts. The sum of many calls does not say how long each prompt was. */
const SHORT_PROMPT = 50_000;

/** Null if the model is not in the list: unknown, never zero. */
export function priceOfCall(usage: CallUsage): Price | null {
  return priceOf(usage, 1);
}

/** The same for the sum of many calls, each of which is assumed to be a short one. */
export function priceOfCalls(usage: CallUsage): Price | null {
  return priceOf(usage, Math.max(1, (usage.inputTokens ?? 0) / SHORT_PROMPT));
}

function priceOf({ model, ...usage }: CallUsage, calls: number): Price | null {
  const { inputTokens: input, outputTokens: output, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  if (model === undefined || input === undefined || output === undefined) return null;
  // Cached tokens are part of the input tokens; figures that contradict this are capped.
  const read = Math.min(cacheReadTokens, input);
  const written = Math.min(cacheWriteTokens, input - read);
  const figures = { input_tokens: input, output_tokens: output, cache_read_tokens: read, cache_write_tokens: written };
  const ofOne = Object.fromEntries(Object.entries(figures).map(([name, tokens]) => [name, tokens / calls]));
  for (const [id, provider] of namesOf(model)) {
    const found = calcPrice(ofOne, id, provider === undefined ? {} : { providerId: provider });
    // The list has some models without a price.
    const isKnown = found !== null && (found.total_price > 0 || input + output === 0);
    if (isKnown) return { usd: found.total_price * calls, entry: `${found.provider.id}/${found.model.id}` };
  }
  return null;
}

type ModelName = readonly [id: string, provider?: string];

/** A name can have a provider in front (`openrouter/qwen/…`), a context size behind (`opus[1m]`), or an AWS region. */
function namesOf(told: string): readonly ModelName[] {
  const model = told.replace(/\[\w+\]$/, '');
  const slash = model.indexOf('/');
  const named: readonly ModelName[] = slash < 0 ? [] : [[model.slice(slash + 1), model.slice(0, slash)]];
  const bedrock: readonly ModelName[] = /^(?:\w+\.)?anthropic\./.test(model) ? [[model, 'aws']] : [];
  return [...named, [model], ...bedrock, ...(slash < 0 ? [] : ([[model.slice(model.lastIndexOf('/') + 1)]] as const))];
}
