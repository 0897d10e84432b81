import {
  dynamic,
  type Infer,
  mask,
  object,
  record,
  type Struct,
  Struct as StructClass,
  StructError,
  type,
} from 'superstruct'
import { Problem } from './problem.ts'

/** The JSON Schema (2020-12) of a field: written once beside its check, and read by the API document. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Fields of a shape by name. */
export type Fields = Parameters<typeof object>[0]

// Types by the names that superstruct offers: declarations of this package must not name its inner files.
type ShapeOf<S extends Fields> = ReturnType<typeof object<S>>
type OpenShapeOf<S extends Fields> = ReturnType<typeof type<S>>

type Frozen<T> = T extends readonly (infer E)[]
  ? readonly Frozen<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T
/** An answer with the fields of a shape, which nobody changes. */
export type ViewOf<S extends Fields> = Frozen<Infer<ShapeOf<S>>>

/** Most messages of a refused input (spec, General conventions). */
export const MAX_DETAILS = 12

const CHECKS = new WeakMap<JsonSchema, (value: unknown) => boolean>()

/** Returns the check of a field by its schema. A precompiled reader calls it instead of the struct. */
export const checkOf = (schema: JsonSchema): ((value: unknown) => boolean) | undefined => CHECKS.get(schema)

/** Makes a field from its schema for the document, its check, and the expectation that a refusal names. */
export function field<T>(
  schema: JsonSchema,
  accepts: (value: unknown) => boolean,
  expected: string,
): Struct<T, JsonSchema> {
  CHECKS.set(schema, accepts)
  return new StructClass<T, JsonSchema>({
    type: 'field',
    schema,
    validator: (value) => accepts(value) || `expected ${expected}`,
  })
}

/** A string of `min` to `max` UTF-16 code units. */
export function text(min: number, max: number): Struct<string, JsonSchema> {
  const expected =
    min > 0 ? `a string of ${min} to ${max} characters` : `a string of at most ${max} characters`
  return field(
    { type: 'string', ...(min > 0 ? { minLength: min } : {}), maxLength: max },
    (value) => typeof value === 'string' && value.length >= min && value.length <= max,
    expected,
  )
}

/** A string of any length, bounded only by the size of the request. */
export const anyText = (): Struct<string, JsonSchema> =>
  field({ type: 'string' }, (value) => typeof value === 'string', 'a string')

/** A string that matches `pattern`; `expected` describes it in words. */
export const matching = (pattern: RegExp, expected: string): Struct<string, JsonSchema> =>
  field(
    { type: 'string', pattern: pattern.source },
    (value) => typeof value === 'string' && pattern.test(value),
    expected,
  )

/** A finite number: JSON's `1e999` reads as Infinity and is refused. */
export const finite = (): Struct<number, JsonSchema> =>
  field({ type: 'number' }, (value) => Number.isFinite(value), 'a finite number')

/** A whole number from `min` to `max`. */
export const whole = (min: number, max: number): Struct<number, JsonSchema> =>
  field(
    { type: 'integer', minimum: min, maximum: max },
    (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
    `a whole number from ${min} to ${max}`,
  )

/** The last second that a date of JavaScript holds. */
export const LAST_SECOND = 8_640_000_000_000

/** A unix second. */
export const unixSecond = (): Struct<number, JsonSchema> => whole(0, LAST_SECOND)

/** True or false. */
export const flag = (): Struct<boolean, JsonSchema> =>
  field({ type: 'boolean' }, (value) => typeof value === 'boolean', 'true or false')

/** One of a fixed set of words. */
export const oneOf = <const T extends string>(words: readonly T[]): Struct<T, JsonSchema> =>
  field(
    { type: 'string', enum: words },
    (value) => typeof value === 'string' && (words as readonly string[]).includes(value),
    `one of ${words.join(', ')}`,
  )

/** An ISO-8601 instant. */
export const instant = (): Struct<string, JsonSchema> =>
  field(
    { type: 'string', format: 'date-time' },
    (value) =>
      typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value)),
    'an ISO-8601 date and time',
  )

/** Any JSON object, kept unchanged. */
export const freeObject = (): Struct<Readonly<Record<string, unknown>>, JsonSchema> =>
  field(
    { type: 'object', additionalProperties: true },
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'an object',
  )

/** A JSON object of strings by any names. */
export const textMap = (): Struct<Readonly<Record<string, string>>, JsonSchema> =>
  field(
    { type: 'object', additionalProperties: { type: 'string' } },
    (value) => isObject(value) && Object.values(Object(value)).every((each) => typeof each === 'string'),
    'an object of strings',
  )

/** Schema of a list. */
export interface ListSchema<T> {
  readonly items: Struct<T, unknown>
  readonly maxItems: number
}

/** A list of at most `max` entries. A longer one is refused before any entry is checked. */
export function listOf<T>(items: Struct<T, unknown>, max: number): Struct<T[], ListSchema<T>> {
  const fits = (value: unknown): value is unknown[] => Array.isArray(value) && value.length <= max
  return new StructClass<T[], ListSchema<T>>({
    type: 'list',
    schema: { items, maxItems: max },
    coercer: (value) => (Array.isArray(value) ? value.slice(0, max + 1) : value),
    validator: (value) => fits(value) || `expected a list of at most ${max} entries`,
    *entries(value) {
      if (!fits(value)) return
      for (const [index, entry] of value.entries()) yield [index, entry, items as unknown as Struct<never>]
    },
  })
}

/**
 * An object whose unknown keys are stripped. The shape has no prototype, so that `constructor` and
 * `__proto__` are unknown keys like any other.
 */
export function shape<S extends Fields>(fields: S): ShapeOf<S> {
  const known = WHOLE.get(fields)
  if (known !== undefined) return known as ShapeOf<S>
  const struct = object(Object.assign(Object.create(null) as S, fields))
  const { entries } = struct
  const own: typeof struct = new StructClass({
    ...struct,
    // A list is not an object: that is the only failure to report, so none of its entries is checked.
    entries: (value, context) => (Array.isArray(value) ? [] : entries(value, context)),
    // superstruct's own message prints the value, which fails if something in it has a field `toString`.
    validator: (value) => isObject(value) || 'expected an object',
  })
  return own
}

const NAMES = new WeakMap<object, string>()
/** The shapes of fields that have a name, by the fields. */
const WHOLE = new WeakMap<object, unknown>()

/**
 * A shape that several requests or answers share. The API document has it once, under this name; one name
 * means one shape.
 */
export function namedShape<S extends Fields>(name: string, fields: S): ShapeOf<S> {
  const struct = shape(fields)
  NAMES.set(struct.schema, name)
  return struct
}

/** Fields that are the whole answer of several operations, as a shape with this name. Returns the fields. */
export function namedFields<const S extends Fields>(name: string, fields: S): S {
  WHOLE.set(fields, namedShape(name, fields))
  return fields
}

/** Gives a list of words a name: documents have it once, wherever one of them is chosen. */
export function namedWords(name: string, words: readonly string[]): void {
  NAMES.set(words, name)
}

/** The named part of a shape by the schema of its struct, which an optional one shares: it, or its words. */
const namedPartOf = (schema: unknown): object | undefined => {
  if (typeof schema !== 'object' || schema === null) return undefined
  const { enum: words } = schema as JsonSchema
  return NAMES.has(schema) ? schema : typeof words === 'object' && words !== null ? words : undefined
}

/** The name of a shape by the schema of its struct. */
export function nameOf(schema: unknown): string | undefined {
  const part = namedPartOf(schema)
  return part === undefined ? undefined : NAMES.get(part)
}

/** Whether two schemas that have a name are of the same shape, or choose among the same words. */
export const isSamePart = (one: unknown, other: unknown): boolean => namedPartOf(one) === namedPartOf(other)

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// superstruct's own messages print the value, which fails if something in it has a field `toString`.
const plainly = <T, S>(
  struct: Struct<T, S>,
  accepts: (value: unknown) => boolean,
  expected: string,
): Struct<T, S> =>
  new StructClass({ ...struct, validator: (value) => accepts(value) || `expected ${expected}` })

/** An object whose unknown keys are kept; with a name as `namedShape` gives one. */
export function openShape<S extends Fields>(fields: S, name?: string): OpenShapeOf<S> {
  const struct = plainly(type(Object.assign(Object.create(null) as S, fields)), isObject, 'an object')
  if (name !== undefined) NAMES.set(struct.schema, name)
  return struct
}

/** Schema of an object by any keys. */
export interface MapSchema {
  readonly values: Struct<unknown, unknown>
}

/** An object whose keys pass `key` and whose values pass `value`. */
export const mapOf = <T, S>(
  key: Struct<string, JsonSchema>,
  value: Struct<T, S>,
): Struct<Record<string, T>, MapSchema> =>
  new StructClass({
    ...plainly(record(key, value), isObject, 'an object'),
    schema: { values: value as unknown as Struct<unknown, unknown> },
  })

/** Schema of a choice: the shapes by the words of the field `by`. */
export interface ChoiceSchema {
  readonly by: string
  readonly shapes: Readonly<Record<string, Struct<unknown, unknown>>>
}

/**
 * An object of one of several shapes, by the word in its field `by`. The API document has the choice once,
 * under its name.
 */
export function choiceOf<T extends object>(
  name: string,
  by: string,
  shapes: Readonly<Record<string, unknown>>,
): Struct<T, ChoiceSchema> {
  const known = shapes as ChoiceSchema['shapes']
  const wordless = openShape({ [by]: oneOf(Object.keys(known)) })
  const chosen = (value: unknown) => {
    const word = isObject(value) ? Object(value)[by] : undefined
    return typeof word === 'string' && Object.hasOwn(known, word) ? known[word] : wordless
  }
  const schema = { by, shapes: known }
  NAMES.set(schema, name)
  return new StructClass<T, ChoiceSchema>({
    ...dynamic<T>((value) => chosen(value) as Struct<T, null>),
    type: 'choice',
    schema,
  })
}

const CHOICES = new WeakMap<object, Struct<object, ChoiceSchema>>()

/**
 * Says of a shape that its objects are of a choice as well: the document tells the fields of the choice by
 * their word. The check of the shape itself stays as it is.
 */
export function alsoOf<T extends { readonly schema: object }>(
  struct: T,
  choice: Struct<object, ChoiceSchema>,
): T {
  CHOICES.set(struct.schema, choice)
  return struct
}

/** The choice that a shape is also of, by the schema of its struct. */
export const choiceIn = (schema: object): Struct<object, ChoiceSchema> | undefined => CHOICES.get(schema)

/**
 * Reads `value` by `struct`, with unknown keys stripped.
 * @throws Problem `invalid-input` with at most 12 field-scoped messages that never quote a received value
 */
export function read<T, S>(struct: Struct<T, S>, value: unknown): T {
  try {
    return mask(value, struct)
  } catch (error) {
    if (error instanceof StructError) throw new Problem('invalid-input', { details: failureMessages(error) })
    throw error
  }
}

function failureMessages(error: StructError): string[] {
  const messages = new Set<string>()
  for (const failure of error.failures()) {
    const expected = failure.message.startsWith('expected ')
      ? failure.message
      : `expected ${article(failure.type)}`
    const path = failure.path.map(String).join('.').slice(0, 128)
    messages.add(path === '' ? expected : `${path}: ${expected}`)
    if (messages.size === MAX_DETAILS) break
  }
  return [...messages]
}

const article = (type: string) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

/**
 * Returns `value` with strings and keys that PostgreSQL can store: NULs are removed, lone surrogates replaced
 * by U+FFFD. Either would fail the statement, and others in its batch.
 */
export function storable<T>(value: T): T {
  const text = JSON.stringify(value)
  // Most values contain no `\u`, JSON's escape for both.
  if (!text.includes('\\u')) return JSON.parse(text) as T
  return JSON.parse(
    text
      .replace(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1')
      .replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd'),
  ) as T
}
