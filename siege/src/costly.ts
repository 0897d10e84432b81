// Inputs that cost most to read for their length: they expose readers whose time grows faster than the input.
const KIB = 1024
const NAMES_A_QUERY = 3500

const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, name) => name.toString(36))

/** JSON values of up to 64 KB. */
export const COSTLY_VALUES: readonly string[] = [
  `[${'[],'.repeat(10_000)}0]`,
  `{${names(5000)
    .map((name) => `"${name}":0`)
    .join()}}`,
  `{${'"a":0,'.repeat(8000)}"a":0}`,
  `[${'{"line":0},'.repeat(5000)}0]`,
  `"${'\\u0000'.repeat(9 * KIB)}"`,
  `"${'\\\\'.repeat(30 * KIB)}"`,
  `[${'"__proto__",'.repeat(4000)}{"__proto__":{"constructor":0}}]`,
  '9'.repeat(60 * KIB),
  `${'['.repeat(32)}${']'.repeat(32)}`,
  `"${'a@'.repeat(30 * KIB)}"`,
  `"${' '.repeat(60 * KIB)}"`,
  `"${'password=x '.repeat(5 * KIB)}"`,
  `"${'eyJ'.repeat(20 * KIB)}"`,
  `"${'-----BEGIN '.repeat(5 * KIB)}"`,
]

/** Queries of nearly the largest size that a request head may have. */
export const COSTLY_QUERIES: readonly string[] = [
  'a&'.repeat(7000),
  names(NAMES_A_QUERY).join('&'),
  'a[]=b&'.repeat(2300),
  'a[b]'.repeat(3500),
  '%41'.repeat(4500),
  '%'.repeat(14_000),
  `host=${'%f0'.repeat(4500)}`,
]

/** Cookies of the same size. */
export const COSTLY_COOKIES: readonly string[] = [
  'svc_session=v1.'.repeat(900),
  'svc_session=x;'.repeat(1000),
  ';'.repeat(14_000),
  ' '.repeat(14_000),
  `${'a=b; '.repeat(2800)}`,
  `svc_session=v1.${'A'.repeat(14_000)}`,
]

/** Other header values of the same size. */
export const COSTLY_HEADERS: readonly string[] = [
  ','.repeat(14_000),
  '1.1.1.1, '.repeat(1500),
  `Bearer ${' '.repeat(14_000)}x`,
  `Bearer ${'k'.repeat(14_000)}`,
  'https://'.repeat(1700),
  'gzip, '.repeat(2300),
  'a/b;c="'.repeat(2000),
]
