import fc from 'fast-check'
import { COSTLY_COOKIES, COSTLY_HEADERS } from './costly.ts'
import { MARKER } from './marker.ts'

/** Header lines by name; a name may come more than once. */
export type Headers = readonly (readonly [string, string])[]

const without = (name: string, headers: Headers): Headers => headers.filter(([known]) => known !== name)
const set =
  (name: string, value: string) =>
  (headers: Headers): Headers => [...without(name, headers), [name, value]]
const add =
  (name: string, value: string) =>
  (headers: Headers): Headers => [...headers, [name, value]]
const drop =
  (name: string) =>
  (headers: Headers): Headers =>
    without(name, headers)

const CREDENTIALS = [
  '',
  'Bearer',
  'Bearer ',
  `Bearer ${MARKER}`,
  `Basic ${MARKER}`,
  `bearer  ${MARKER}`,
  MARKER,
  `Bearer ${'k'.repeat(512)}`,
  `Bearer ${'k'.repeat(513)}`,
  `Bearer ${'k'.repeat(8000)}`,
  'Bearer \u00ff\u0080',
  'Bearer a,Bearer b',
  'Bearer null',
  'Bearer {key}x',
  'Bearer {key} x',
  'Bearer {cron}',
]
const COOKIES = [
  '',
  ';',
  '=',
  'svc_session=',
  `svc_session=${MARKER}`,
  `svc_session=v1.${'A'.repeat(43)}.${'A'.repeat(43)}`,
  'svc_session=v1..',
  '{cookie}x',
  '{cookie}; {cookie}',
  `{cookie}; x=${MARKER}`,
  `${'a=b; '.repeat(500)}`,
  ...COSTLY_COOKIES,
  '__proto__=x',
  'svc_session="v1.a.b"',
  '\u00ff=\u0080',
  `svc_session=v1.%00.${MARKER}`,
]
const FORWARDED = [
  '',
  ',',
  ', ,',
  MARKER,
  '1.2.3.4, 5.6.7.8',
  '::1',
  '[::1]:80',
  '1.2.3.4:99999',
  'unknown',
  '_x',
  `${'1.1.1.1,'.repeat(900)}2`,
  '\u00ff',
]
const KEYS = ['', ' ', MARKER, 'k'.repeat(255), 'k'.repeat(256), 'a b', '\u00e9', '"quoted"', '{held}']
const ORIGINS = [
  '',
  'null',
  `https://${MARKER}.example`,
  'https://svc.example',
  'https://svc.example.evil',
  'https://svc.example:443',
  'http://localhost:1',
  'file://',
  'https://svc.example\u00ff',
]
const TYPES = [
  '',
  'text/plain',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  `${MARKER}/${MARKER}`,
  '*/*',
  'application/json; charset="',
  'application/xml',
]
const CODINGS = ['gzip', 'br', 'deflate', 'identity', 'gzip, gzip', MARKER, '', 'x-gzip', 'zstd']
const OTHERS: Headers = [
  ['Accept', `text/${MARKER}`],
  ['Accept', ''],
  ['Range', 'bytes=0-0'],
  ['If-None-Match', '*'],
  ['Svc-Actor', MARKER],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Forwarded-Host', MARKER],
  ['X-Forwarded-Proto', 'https'],
  ['Forwarded', `for=${MARKER}`],
  ['Expect', 'miracles'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Transfer-Encoding-X', 'chunked'],
  ['X-Long', 'x'.repeat(8000)],
  ['TE', 'trailers'],
  ['Upgrade', 'h2c'],
  ['__proto__', MARKER],
  ['constructor', MARKER],
  ['Max-Forwards', '0'],
  ['Via', '1.1 x'],
  ['Prefer', 'wait=1'],
  ['Content-MD5', MARKER],
  ['Referer', MARKER],
  ['User-Agent', '\u00ff'],
  ...COSTLY_HEADERS.map((value) => ['X-Costly', value] as const),
]

const one = (name: string, values: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...values), fc.boolean())
    .map(([value, isMore]) => (isMore ? add : set)(name, value))

/**
 * A change of the headers; `credential`: the header with the route's credential, which is changed most often.
 */
export const headChange = (
  credential: 'Authorization' | 'Cookie' | undefined,
): fc.Arbitrary<(headers: Headers) => Headers> =>
  fc.oneof(
    { weight: credential === 'Authorization' ? 10 : 1, arbitrary: one('Authorization', CREDENTIALS) },
    { weight: credential === 'Cookie' ? 10 : 1, arbitrary: one('Cookie', COOKIES) },
    { weight: credential === undefined ? 0 : 2, arbitrary: fc.constant(drop(credential ?? '')) },
    { weight: 1, arbitrary: fc.constant(drop('Content-Type')) },
    { weight: 1, arbitrary: one('X-Forwarded-For', FORWARDED) },
    { weight: 2, arbitrary: one('Idempotency-Key', KEYS) },
    { weight: 2, arbitrary: one('Origin', ORIGINS) },
    { weight: 1, arbitrary: one('Content-Type', TYPES) },
    { weight: 3, arbitrary: one('Content-Encoding', CODINGS) },
    { weight: 1, arbitrary: fc.constantFrom(...OTHERS).map(([name, value]) => add(name, value)) },
  )
