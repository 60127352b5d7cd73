/** What models cost, by the list that @pydantic/genai-prices brings along. Half a megabyte: loaded by pricing.ts, when needed. */
import { calcPrice } from '@pydantic/genai-prices';
import type { CallUsage } from '../../core/events.ts';

export interface Price {
  readonly usd: number;
  /** The entry of the list, as `provider/model`. */
  readonly entry: string;
}

/** A prompt that is longer costs more with some models. The figures of many calls do not tell how long each of them was. */
const SHORT_PROMPT = 50_000;

/** Null where the model is not in the list: unknown, never zero. */
export function priceOfCall(usage: CallUsage): Price | null {
  return priceOf(usage, 1);
}

/** The same for figures that are the sum of many calls, none of which is taken for a long one. */
export function priceOfCalls(usage: CallUsage): Price | null {
  return priceOf(usage, Math.max(1, (usage.inputTokens ?? 0) / SHORT_PROMPT));
}

function priceOf({ model, ...usage }: CallUsage, calls: number): Price | null {
  const { inputTokens: input, outputTokens: output, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  if (model === undefined || input === undefined || output === undefined) return null;
  // What was cached is among the input tokens; an agent that says otherwise is not believed.
  const read = Math.min(cacheReadTokens, input);
  const written = Math.min(cacheWriteTokens, input - read);
  const figures = { input_tokens: input, output_tokens: output, cache_read_tokens: read, cache_write_tokens: written };
  const ofOne = Object.fromEntries(Object.entries(figures).map(([name, tokens]) => [name, tokens / calls]));
  for (const [id, provider] of namesOf(model)) {
    const found = calcPrice(ofOne, id, provider === undefined ? {} : { providerId: provider });
    // The list knows some models without their price.
    const isKnown = found !== null && (found.total_price > 0 || input + output === 0);
    if (isKnown) return { usd: found.total_price * calls, entry: `${found.provider.id}/${found.model.id}` };
  }
  return null;
}

type ModelName = readonly [id: string, provider?: string];

/** `openrouter/qwen/qwen3-coder` is one of a provider's; `opus[1m]` has its context behind it; Bedrock's begin with a region. */
function namesOf(told: string): readonly ModelName[] {
  const model = told.replace(/\[\w+\]$/, '');
  const slash = model.indexOf('/');
  const named: readonly ModelName[] = slash < 0 ? [] : [[model.slice(slash + 1), model.slice(0, slash)]];
  const bedrock: readonly ModelName[] = /^(?:\w+\.)?anthropic\./.test(model) ? [[model, 'aws']] : [];
  return [...named, [model], ...bedrock, ...(slash < 0 ? [] : ([[model.slice(model.lastIndexOf('/') + 1)]] as const))];
}
