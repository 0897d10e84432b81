/** A schema of the API document, as far as suites read it. */
export interface Schema {
  readonly type?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly $ref?: string
  readonly discriminator?: {
    readonly propertyName: string
    readonly mapping: Readonly<Record<string, string>>
  }
  readonly additionalProperties?: Schema | boolean
}

/** The schemas of a document by name. */
export type Schemas = Readonly<Record<string, Schema>>

const REFERENCE = '#/components/schemas/'

/** Payloads of jobs and their sources keep fields that they do not name. */
const isOpen = (place: string): boolean => /\.payload(?:\.source)?$/.test(place)

/** Returns the schema that another one leads to, or itself. */
export const referred = (schemas: Schemas, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.slice(REFERENCE.length)] ?? schema)

/** Returns the schema that a value is held to: with the fields of the one of a choice that its word names. */
function wholeOf(schemas: Schemas, given: Schema, value: unknown): Schema {
  const { discriminator, ...own } = referred(schemas, given)
  if (discriminator === undefined) return own
  const word = String(Object(value)[discriminator.propertyName])
  const chosen = referred(schemas, { $ref: discriminator.mapping[word] ?? 'no schema for the word' })
  return {
    ...chosen,
    ...own,
    required: [...(own.required ?? []), ...(chosen.required ?? [])],
    properties: { ...own.properties, ...chosen.properties },
  }
}

/** Returns where a value is not as its schema says: fields that it does not name are faults, too. */
export function faultsOf(schemas: Schemas, given: Schema, value: unknown, place = '$'): readonly string[] {
  const schema = wholeOf(schemas, given, value)
  if (schema.type === 'object') {
    if (typeof value !== 'object' || value === null) return [`${place} is no object`]
    const fields = value as Readonly<Record<string, unknown>>
    const { required = [], properties, additionalProperties } = schema
    const missing = required.filter((name) => !(name in fields))
    const inner = Object.entries(properties ?? {}).filter(([name]) => name in fields)
    const isClosed = properties !== undefined && additionalProperties === undefined && !isOpen(place)
    const unnamed = Object.keys(fields).filter((name) => isClosed && !(name in properties))
    return [
      ...missing.map((name) => `${place}.${name} is missing`),
      ...unnamed.map((name) => `${place}.${name} is not named`),
      ...inner.flatMap(([name, field]) => faultsOf(schemas, field, fields[name], `${place}.${name}`)),
    ]
  }
  if (schema.type === 'array') {
    if (!Array.isArray(value)) return [`${place} is no list`]
    return value.flatMap((item, index) => faultsOf(schemas, schema.items ?? {}, item, `${place}[${index}]`))
  }
  return isFitting(schema, value) ? [] : [`${place} is ${JSON.stringify(value)}`]
}

function isFitting({ type, enum: words, ...bounds }: Schema, value: unknown): boolean {
  if (words !== undefined) return words.includes(value)
  if (type === 'integer' || type === 'number') {
    const { minimum = -Infinity, maximum = Infinity } = bounds
    return typeof value === 'number' && value >= minimum && value <= maximum
  }
  if (type !== 'string') return type === undefined || typeof value === type
  const { minLength = 0, maxLength = Infinity } = bounds
  return typeof value === 'string' && value.length >= minLength && value.length <= maxLength
}
