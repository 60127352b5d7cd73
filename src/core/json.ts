/** Plain data, as a journal line holds it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
