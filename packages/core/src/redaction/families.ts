/**
 * Groups of patterns that share a hint, as bits: the tripwire says which groups a text can hold, and only the
 * patterns of those run.
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

/** Every family: runs the whole table. */
export const ALL_FAMILIES = 255
