import fc from 'fast-check'
import { COSTLY_QUERIES } from './costly.ts'
import { MARKER } from './marker.ts'

/** The method and path of a request. */
export interface Target {
  readonly method: string
  readonly path: string
}

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'PURGE',
  'LOCK',
  'REPORT',
  'QUERY',
]
const SEGMENTS = [
  MARKER,
  '%00',
  `${MARKER}%00`,
  '%2e%2e',
  '%2F',
  '%',
  '%zz',
  '%ff',
  '%ed%a0%80',
  '1e3',
  '0x1',
  '-1',
  '9223372036854775808',
  '__proto__',
  'constructor',
  'toString',
  "'",
  '%27%20or%201=1',
  '*',
  'null',
  '%F0%9F%98%80',
  ';a=b',
  'x'.repeat(64),
  'x'.repeat(65),
  'x'.repeat(8000),
  '{held}',
  '{deployment}',
  '%7Bid%7D',
  'job_',
  '{held}%20',
  '{held}%00',
  '..',
  '.',
  '%5c',
  'jobs.enqueue',
]
const QUERIES = [
  'key={cron}&key=x',
  `key=${MARKER}`,
  'key[]={cron}',
  'key',
  'key=',
  '=',
  '&&&',
  '%',
  `host=${MARKER}`,
  'host=%00',
  'host=a&host=b',
  'host[]=a',
  'after=-1',
  'after=1e3',
  'after=9007199254740991',
  'after=9007199254740993',
  'after=%00',
  'limit=0',
  'limit=-1',
  'limit=99999999999999999999',
  'limit=1&limit=2',
  'conversationId=%00',
  'conversationId=%ed%a0%80',
  `conversationId=${'x'.repeat(128)}`,
  `conversationId=${'x'.repeat(129)}`,
  `conversationId=${MARKER}`,
  `conversationId=a&sessionId=%00&after=%00`,
  'conversationId=a&sessionId=b&wait=0',
  'conversationId=a&sessionId=b&wait=9999999',
  'conversationId=a&wait=-1',
  'conversationId=a&wait=x',
  '__proto__=x',
  'constructor=x',
  `${'a=b&'.repeat(1500)}`,
  ...COSTLY_QUERIES,
  `x=${'y'.repeat(9000)}`,
  '?',
  '#x',
  'a=%u0041',
]

/** A change of method, path or query; for a path without an id, fewer of the changes lead to no route. */
export const targetChange = (hasId: boolean): fc.Arbitrary<(target: Target) => Target> =>
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.constantFrom(...METHODS).map((method) => (target: Target) => ({ ...target, method })),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(...QUERIES).map((query) => (target: Target) => ({
        ...target,
        path: `${target.path}${target.path.includes('?') ? '&' : '?'}${query}`,
      })),
    },
    {
      weight: hasId ? 8 : 2,
      arbitrary: fc
        .record({
          segment: fc.constantFrom(...SEGMENTS),
          pick: fc.nat(),
          isAny: fc.nat(9).map((number) => number === 0),
        })
        .map(({ segment, pick, isAny }) => ({ method, path }: Target) => {
          const [plain = '', query] = path.split('?', 2)
          const parts = plain.split('/')
          const ids = parts.flatMap((each, index) => (each.startsWith('{') ? [index] : []))
          const at = isAny || ids.length === 0 ? 1 + (pick % (parts.length - 1)) : ids[pick % ids.length]
          const next = parts.map((each, index) => (index === at ? segment : each)).join('/')
          return { method, path: query === undefined ? next : `${next}?${query}` }
        }),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom<(path: string) => string>(
          (path) => `${path}/`,
          (path) => `/${path}`,
          (path) => path.toUpperCase(),
          (path) => path.replace('/', '/./'),
          (path) => `/x/..${path}`,
          (path) => `http://${MARKER}${path}`,
          (path) => `${path};x=y`,
          () => '*',
          () => '/',
        )
        .map((change) => ({ method, path }: Target) => ({ method, path: change(path) })),
    },
  )
