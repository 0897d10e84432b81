import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { COSTLY_VALUES } from './costly.ts'
import { changedAt, places, type Spelled, spelled, textOf } from './json-spelling.ts'
import { MARKER } from './marker.ts'

const raw = (text: string): Spelled => ({ raw: text })
const text = (value: string): Spelled => raw(JSON.stringify(value))

const NUMBERS = [
  '-1',
  '0',
  '-0',
  '0.5',
  '1e3',
  '1e308',
  '1e999',
  '-1e999',
  '5e-324',
  '1e-999',
  '2147483647',
  '2147483648',
  '-2147483649',
  '4294967296',
  '9007199254740991',
  '9007199254740993',
  '9223372036854775808',
  '123456789012345678901234567890',
  '1.7976931348623157e308',
  '0.1e1',
].map(raw)
const BROKEN = [
  'NaN',
  'Infinity',
  '01',
  '.5',
  '1.',
  '0x1',
  '+1',
  'undefined',
  "'x'",
  '',
  '1 2',
  '"',
  '\\',
  '/**/1',
  '{',
  ']',
]
const LENGTHS = [
  0, 1, 63, 64, 65, 127, 128, 129, 254, 255, 256, 257, 511, 512, 513, 1000, 1001, 4001, 8000, 8001, 8192,
  8193,
]
const TEXTS = [
  '',
  ' ',
  '\u0000',
  `${MARKER}\u0000`,
  '\ud800',
  'a\udc00',
  '\ufeff',
  '\u2028',
  '\u202e',
  '\u0301'.repeat(300),
  '😀'.repeat(100),
  '\r\nX: y',
  "'; drop table jobs; --",
  '$' + '{7*7}',
  '{{7*7}}',
  '%00',
  '%s%n',
  '../../etc/passwd',
  '<script>',
  '1e3',
  'null',
  'true',
  '__proto__',
  'constructor',
  '-infinity',
  'now',
  '\u001b[31m',
  '\\u0000',
  '\\',
  '9'.repeat(400),
  'svc_'.padEnd(47, 'x'),
  MARKER,
].map(text)
const TYPES = [
  'null',
  'true',
  'false',
  '0',
  '""',
  '[]',
  '{}',
  '[null]',
  '{"a":null}',
  `"${MARKER}"`,
  `["${MARKER}"]`,
  `{"${MARKER}":1}`,
].map(raw)
const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  '\u0000',
  MARKER,
  'then',
  'length',
  '\ud800',
  'is_admin',
  'licenseId',
  'license_id',
  'tenantId',
]
const nested = (open: string, close: string, depth: number) => raw(open.repeat(depth) + close.repeat(depth))
const DEEP = [
  nested('[', ']', 30),
  nested('[', ']', 31),
  nested('[', ']', 32),
  nested('[', ']', 33),
  nested('[', ']', 5000),
  nested('[', ']', 20_000),
  raw(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
  raw(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`),
  raw('['.repeat(3000)),
]
const LONG_LISTS = [65, 1001, 10_001].map((length) => raw(`[${'0,'.repeat(length - 1)}0]`))

// Not fc.string({ unit: 'binary' }): it keeps a map of a million characters, which every garbage collection
// walks.
const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10_ff_ff }), { maxLength: 20 })
  .map((codes) => String.fromCodePoint(...codes))

const part: fc.Arbitrary<Spelled> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TYPES) },
  { weight: 5, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 5, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 4, arbitrary: fc.constantFrom(...LENGTHS).map((length) => text('x'.repeat(length))) },
  { weight: 2, arbitrary: fc.constantFrom(...BROKEN).map(raw) },
  { weight: 1, arbitrary: fc.constantFrom(...DEEP, ...LONG_LISTS) },
  { weight: 1, arbitrary: fc.constantFrom(...COSTLY_VALUES).map(raw) },
  { weight: 2, arbitrary: anyText.map(text) },
)

/** One change of a JSON value: a part is replaced or removed, or a field is added or repeated. */
const partChange = fc.record({ place: fc.nat(), to: part }).map(
  ({ place, to }) =>
    (value: Spelled) =>
      changedAt(value, place % places(value), () => to),
)
const lost = fc.nat().map((pick) => (value: Spelled): Spelled => {
  if (!('fields' in value)) return value
  return { fields: value.fields.filter((_, index) => index !== pick % Math.max(1, value.fields.length)) }
})
const added = fc.record({ name: fc.constantFrom(...NAMES), to: part, place: fc.nat() }).map(
  ({ name, to, place }) =>
    (value: Spelled) =>
      changedAt(value, place % places(value), (here) =>
        'fields' in here ? { fields: [...here.fields, [name, to]] } : here,
      ),
)
const twice = fc.record({ pick: fc.nat(), to: part }).map(({ pick, to }) => (value: Spelled): Spelled => {
  if (!('fields' in value) || value.fields.length === 0) return value
  const name = value.fields[pick % value.fields.length]?.[0] ?? ''
  return { fields: [...value.fields, [name, to]] }
})

/** A change of the value before it is serialized. */
export const valueChange: fc.Arbitrary<(value: Spelled) => Spelled> = fc.oneof(
  { weight: 6, arbitrary: partChange },
  { weight: 2, arbitrary: lost },
  { weight: 2, arbitrary: added },
  { weight: 1, arbitrary: twice },
)

const utf8 = (change: (json: string) => string) => (json: string) => Buffer.from(change(json))
const TEXT_CHANGES: readonly ((json: string) => Buffer)[] = [
  utf8((json) => json.slice(0, -1)),
  utf8((json) => json.slice(0, json.length / 2)),
  utf8((json) => `${json}${json}`),
  utf8((json) => `${json},`),
  utf8((json) => `\ufeff${json}`),
  utf8((json) => ` \n\t${json}\r\n `),
  utf8((json) => `[${json}]`),
  utf8((json) => json.replaceAll('"', "'")),
  utf8((json) => `${json}//${MARKER}`),
  utf8(() => ''),
  utf8(() => ' '),
  utf8(() => `"${MARKER}"`),
  utf8(() => `a=${MARKER}&a=b&a[]=c&__proto__[x]=1`),
  utf8((json) => json.replace('{', '{"x":"\u0001",')),
  utf8((json) => json.replace('{', `{"x":"${'x'.repeat(70_000)}",`)),
  utf8((json) => json.replace('{', `{"${MARKER}":"${'\\u0041'.repeat(3000)}",`)),
  (json) => Buffer.from(json, 'utf16le'),
  (json) =>
    Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from([0xc3, 0x28, 0xed, 0xa0, 0x80, 0xff])]),
  (json) => gzipSync(json),
  () => Buffer.from([0, 1, 2, 3, 255]),
]

/** A change of the serialized text. */
export const textChange: fc.Arbitrary<(json: string) => Buffer> = fc.constantFrom(...TEXT_CHANGES)

/** Returns the bytes of a value after the changes of its value and of its text. */
export const written = (
  value: unknown,
  changes: readonly ((value: Spelled) => Spelled)[],
  last: ((json: string) => Buffer) | undefined,
): Buffer => {
  const json = textOf(changes.reduce((current, change) => change(current), spelled(value)))
  return last === undefined ? Buffer.from(json) : last(json)
}
