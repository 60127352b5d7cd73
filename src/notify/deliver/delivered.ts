/** The result of delivering a message to a receiver. */
import type { Duration } from '../../core/time.ts';

export type Delivered =
  /** `says`: for example `HTTP 200`. */
  | { readonly is: 'sent'; readonly says: string }
  /** Worth another try; not before `after`, if the receiver asks for that. */
  | { readonly is: 'down'; readonly why: string; readonly hint?: string; readonly after?: Duration }
  /** It would fail the same way again. */
  | { readonly is: 'refused'; readonly why: string; readonly hint?: string };
