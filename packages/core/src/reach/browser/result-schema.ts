import { Problem } from '../../kernel/problem.ts'

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const
type SchemaType = (typeof TYPES)[number]

/** A subset of JSON Schema for the result that a run of the agent has to find. */
export interface ResultSchema {
  readonly type?: SchemaType
  readonly properties?: Readonly<Record<string, ResultSchema>>
  readonly required?: readonly string[]
  readonly items?: ResultSchema
  readonly enum?: readonly unknown[]
}

/** Longest schema as JSON, in bytes. */
export const MAX_SCHEMA_BYTES = 8192
const MAX_DEPTH = 8
const MAX_DETAILS = 12
const WORDS: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'items', 'enum'],
  // They mean something to the model, and nothing to the check.
  ...['title', 'description'],
])

/**
 * Reads a schema. Words of JSON Schema that are not checked are refused: a rule that nobody keeps is worse
 * than none. @throws Problem `invalid-input`
 */
export function readResultSchema(given: unknown): ResultSchema {
  if (Buffer.byteLength(JSON.stringify(given)) > MAX_SCHEMA_BYTES)
    throw refused(`result_schema: expected at most ${MAX_SCHEMA_BYTES} bytes`)
  check(given, 'result_schema', 0)
  return given as ResultSchema
}

function check(given: unknown, path: string, depth: number): void {
  if (depth > MAX_DEPTH) throw refused(`${path}: expected at most ${MAX_DEPTH} levels`)
  if (!isRecord(given)) throw refused(`${path}: expected an object`)
  if (Object.keys(given).some((word) => !WORDS.has(word)))
    throw refused(`${path}: expected only type, properties, required, items, enum, title and description`)
  const { type, properties, required, items, enum: words } = given
  if (type !== undefined && !TYPES.includes(type as SchemaType))
    throw refused(`${path}.type: expected one of ${TYPES.join(', ')}`)
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((name) => typeof name === 'string'))
  )
    throw refused(`${path}.required: expected a list of names`)
  if (words !== undefined && !Array.isArray(words)) throw refused(`${path}.enum: expected a list`)
  if (items !== undefined) check(items, `${path}.items`, depth + 1)
  if (properties === undefined) return
  if (!isRecord(properties)) throw refused(`${path}.properties: expected an object`)
  for (const value of Object.values(properties)) check(value, `${path}.properties`, depth + 1)
}

/** Returns the mismatches of a result, at most 12 sentences without a value; empty: it fits. */
export function misfits(result: unknown, schema: ResultSchema): readonly string[] {
  return [...faultsOf(result, schema, 'result')].slice(0, MAX_DETAILS)
}

function* faultsOf(value: unknown, schema: ResultSchema, path: string): Generator<string> {
  const { type, properties = {}, required = [], items, enum: words } = schema
  if (type !== undefined && !isOfType(value, type)) {
    yield `${path}: expected ${type}`
    return
  }
  if (words !== undefined && !words.some((word) => JSON.stringify(word) === JSON.stringify(value)))
    yield `${path}: expected one of the words of its enum`
  if (Array.isArray(value) && items !== undefined)
    for (const [at, each] of value.entries()) yield* faultsOf(each, items, `${path}.${at}`)
  if (!isRecord(value)) return
  for (const name of required) if (!Object.hasOwn(value, name)) yield `${path}.${name}: expected a value`
  for (const [name, inner] of Object.entries(properties))
    if (Object.hasOwn(value, name)) yield* faultsOf(value[name], inner, `${path}.${name}`)
}

function isOfType(value: unknown, type: SchemaType): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isRecord(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    default:
      return typeof value === type
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const refused = (detail: string) => new Problem('invalid-input', { details: [detail] })
