import fc from 'fast-check'
import { HOST } from './scene.ts'

type Schema = Readonly<Record<string, unknown>>

/** Values of fields with these names in a good request; a text in braces is filled in from the scene. */
const KNOWN: Readonly<Record<string, readonly unknown[]>> = {
  fingerprint: [HOST, HOST, 'host-other'],
  key: ['{key}'],
  id: ['{held}', '{pending}'],
  job: ['{held}', '{pending}'],
  license: ['{spare}'],
  email: ['spare@example.com', 'new@example.com'],
  host: ['example.com'],
  attempt: [1, 0, 2],
  kind: ['prune', 'deploy'],
}

/** Good values of a JSON Schema, as far as requests need it. */
export function validValue(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  const known = KNOWN[name]
  if (known !== undefined && schema.type !== 'object') return fc.constantFrom(...known)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]))
  const type: unknown = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') return validObject(schema)
  if (type === 'array') return fc.array(validValue(schema.items as Schema, name), { maxLength: 2 })
  if (type === 'boolean') return fc.boolean()
  if (type === 'number') return fc.constantFrom(0, 1.5, 1_760_000_000)
  if (type === 'integer') return fc.constantFrom(...[0, 1, 60].map((number) => within(number, schema)))
  return validText(schema)
}

const within = (number: number, { minimum, maximum }: Schema): number =>
  Math.min(Math.max(number, Number(minimum ?? number)), Number(maximum ?? number))

function validText({ pattern, format, minLength, maxLength }: Schema): fc.Arbitrary<string> {
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern), { size: 'small' })
  if (format === 'date-time') return fc.constant('2026-01-05T09:00:00Z')
  const least = Number(minLength ?? 0)
  return fc
    .constantFrom('web-1', 'a good text', 'Grüße 😀')
    .map((text) => text.padEnd(least, 'x').slice(0, Number(maxLength ?? text.length)))
}

function validObject(schema: Schema): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>)
  const required = (schema.required ?? []) as readonly string[]
  const fields = properties.map(([name, field]) => [name, validValue(field, name)] as const)
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true })
}
