import { HEADER_PATTERNS } from './header-patterns.ts'
import { LABELLED_PATTERNS } from './labelled-patterns.ts'
import type { SecretPattern } from './pattern.ts'
import { PROVIDER_PATTERNS } from './provider-patterns.ts'
import { STRUCTURED_PATTERNS } from './structured-patterns.ts'

/**
 * The ordered table of secrets. Where matches overlap, all of them go, under the kind of the earliest row:
 * the most telling names come first, what was merely called a secret comes last.
 */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  ...PROVIDER_PATTERNS,
  ...STRUCTURED_PATTERNS,
  ...HEADER_PATTERNS,
  ...LABELLED_PATTERNS,
]
