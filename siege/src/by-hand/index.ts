import type { HandCase } from './case.ts'
import { CREDENTIALS, HEADERS, WRITERS } from './head-cases.ts'
import { CHARACTERS, SPELLINGS } from './json-cases.ts'
import { LIMITS } from './limit-cases.ts'
import { METHODS, PATHS } from './path-cases.ts'
import { QUERIES } from './query-cases.ts'
import { SHAPES } from './shape-cases.ts'
import { SIGN_IN } from './sign-in-cases.ts'

/** All handwritten requests, by their subject. */
export const HAND_CASES: Readonly<Record<string, readonly HandCase[]>> = {
  'texts that are no JSON, or odd JSON': SPELLINGS,
  'odd bytes and characters': CHARACTERS,
  'bodies of another shape': SHAPES,
  'values at their limits': LIMITS,
  'paths that look like ours': PATHS,
  'other methods': METHODS,
  queries: QUERIES,
  credentials: CREDENTIALS,
  'other headers': HEADERS,
  'whose a write is': WRITERS,
  'bodies to sign in and out': SIGN_IN,
}
