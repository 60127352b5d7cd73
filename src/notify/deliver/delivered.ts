/** What came of handing a message to a receiver. */
import type { Duration } from '../../core/time.ts';

export type Delivered =
  /** `says`: such as `HTTP 200`. */
  | { readonly is: 'sent'; readonly says: string }
  /** Worth another try. `after`: not before, as the receiver says. */
  | { readonly is: 'down'; readonly why: string; readonly hint?: string; readonly after?: Duration }
  /** It would fail the same way again. */
  | { readonly is: 'refused'; readonly why: string; readonly hint?: string };
