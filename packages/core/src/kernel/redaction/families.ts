/**
 * Groups of patterns, as bits. The tripwire finds the groups that can match in a text, and only their
 * patterns run.
 */
export const FAMILY = {
  provider: 1,
  label: 2,
  url: 4,
  card: 8,
  iban: 16,
  pem: 32,
  jwt: 64,
  header: 128,
} as const

/** All families, to run the whole table. */
export const ALL_FAMILIES = 255
