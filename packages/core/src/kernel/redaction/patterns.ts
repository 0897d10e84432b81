import { HEADER_PATTERNS } from './header-patterns.ts'
import { LABELLED_PATTERNS } from './labelled-patterns.ts'
import type { SecretPattern } from './pattern.ts'
import { PROVIDER_PATTERNS } from './provider-patterns.ts'
import { STRUCTURED_PATTERNS } from './structured-patterns.ts'

/**
 * Ordered table of secrets. Overlapping matches are redacted together, under the kind of the earliest row:
 * specific patterns come first, labelled values last.
 */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  ...PROVIDER_PATTERNS,
  ...STRUCTURED_PATTERNS,
  ...HEADER_PATTERNS,
  ...LABELLED_PATTERNS,
]
