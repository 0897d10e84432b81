import { type JsonSchema, LAST_SECOND, type ListSchema } from '@svc/core/adapters'
import { fieldsOf, isOmissible, type Shape } from '../exchange/body/shape.ts'
import { titleOf } from './cells.ts'
import { readValue } from './field-values.ts'

/** Lists that name things which many fields take. */
export const CHOICES = ['hosts', 'licenses', 'tenants', 'apps'] as const
export type Choices = (typeof CHOICES)[number]

/** How a field of an operation's input is asked for. */
export type FieldKind =
  | { readonly type: 'choice'; readonly words: readonly string[] }
  | { readonly type: 'yes-no' }
  | { readonly type: 'number'; readonly min?: number; readonly max?: number; readonly isWhole: boolean }
  /** A time in UTC; `isSecond`: the operation takes it as a unix second. */
  | { readonly type: 'instant'; readonly isSecond: boolean }
  | { readonly type: 'text'; readonly max?: number; readonly pattern?: string; readonly of?: Choices }
  /** One entry a line. */
  | { readonly type: 'lines' }
  /** `name=value` a line. */
  | { readonly type: 'pairs' }
  /** Objects, one a row, with a column for each of their fields. */
  | { readonly type: 'rows'; readonly columns: readonly Field[] }
  | { readonly type: 'group'; readonly fields: readonly Field[] }
  /** A document without a schema. */
  | { readonly type: 'json' }

/** One field of a form. */
export interface Field {
  /** The names that lead to the value, joined by dots. */
  readonly name: string
  readonly title: string
  readonly isRequired: boolean
  /** Whether the value is a secret: it is never put into a page. */
  readonly isSecret: boolean
  readonly kind: FieldKind
}

/** Names of fields that name a thing. */
const NAMED: Readonly<Record<string, Choices>> = {
  host: 'hosts',
  license: 'licenses',
  tenant: 'tenants',
  app: 'apps',
}

/** Names of fields that hold secrets. */
const SECRETS: ReadonlySet<string> = new Set(['password', 'secret', 'pin', 'license_key', 'current', 'code'])
/** The value of a variable is a secret unless the form says that it is plain. */
const isSecret = (path: string): boolean =>
  SECRETS.has(path.slice(path.lastIndexOf('.') + 1)) || /^variables\.(?:\d+\.)?value$/.test(path)

/** Returns the fields of a form from the schema of an operation's input. */
export const formFields = (shape: Shape, prefix = ''): readonly Field[] =>
  fieldsOf(shape).map(([name, each]) => fieldOf(`${prefix}${name}`, each))

function fieldOf(path: string, shape: Shape): Field {
  const name = path.slice(path.lastIndexOf('.') + 1)
  return {
    name: path,
    title: titleOf(name),
    isRequired: !isOmissible(shape),
    isSecret: isSecret(path),
    kind: kindOf(path, shape),
  }
}

function kindOf(path: string, shape: Shape): FieldKind {
  if (shape.type === 'list') {
    const items = (shape.schema as ListSchema<unknown>).items as Shape
    if (items.type === 'field') return { type: 'lines' }
    return { type: 'rows', columns: formFields(items, `${path}.`) }
  }
  if (shape.type === 'object' || shape.type === 'type') {
    return { type: 'group', fields: formFields(shape, `${path}.`) }
  }
  const kind = scalarOf(shape.schema as JsonSchema | undefined)
  const of = NAMED[path.slice(path.lastIndexOf('.') + 1)]
  return kind.type === 'text' && of !== undefined ? { ...kind, of } : kind
}

function scalarOf(schema: JsonSchema | undefined): FieldKind {
  const { type, enum: words, format, minimum, maximum, maxLength, pattern } = schema ?? {}
  if (Array.isArray(words)) return { type: 'choice', words: words.map(String) }
  if (type === 'boolean') return { type: 'yes-no' }
  if (maximum === LAST_SECOND) return { type: 'instant', isSecond: true }
  if (type === 'integer' || type === 'number') {
    return {
      type: 'number',
      isWhole: type === 'integer',
      ...(typeof minimum === 'number' && { min: minimum }),
      ...(typeof maximum === 'number' && { max: maximum }),
    }
  }
  if (format === 'date-time') return { type: 'instant', isSecond: false }
  if (type === 'string') {
    return {
      type: 'text',
      ...(typeof maxLength === 'number' && { max: maxLength }),
      ...(typeof pattern === 'string' && { pattern }),
    }
  }
  const values = schema?.additionalProperties as JsonSchema | boolean | undefined
  return typeof values === 'object' && values.type === 'string' ? { type: 'pairs' } : { type: 'json' }
}

/** The values of a sent form, or of a query, the first of each name. */
export interface Sent {
  get(name: string): string | null | undefined
  keys(): Iterable<string>
}

/** Returns an operation's input from a sent form. Fields that are empty are left out. */
export const readForm = (fields: readonly Field[], sent: Sent): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    fields
      .map((field) => [field.name.slice(field.name.lastIndexOf('.') + 1), readField(field, sent)] as const)
      .filter(([, value]) => value !== undefined),
  )

function readField({ name, kind, isRequired, isSecret }: Field, sent: Sent): unknown {
  if (kind.type === 'group') {
    const group = readForm(kind.fields, sent)
    return Object.keys(group).length === 0 && !isRequired ? undefined : group
  }
  if (kind.type === 'rows') {
    const rows = rowsOf(name, sent).map((row) => readForm(numbered(kind.columns, name, row), sent))
    const filled = rows.filter((row) => Object.keys(row).length > 0)
    return filled.length === 0 && !isRequired ? undefined : filled
  }
  return readValue(kind, sent.get(name) ?? '', isSecret)
}

/** Returns the columns of a list of objects as the fields of one of its rows. */
export const numbered = (columns: readonly Field[], name: string, row: number): readonly Field[] =>
  columns.map((field) => ({ ...field, name: `${name}.${row}.${field.name.slice(name.length + 1)}` }))

const MOST_ROWS = 1000
const ROW = /^\.(\d{1,3})\./

function rowsOf(name: string, sent: Sent): readonly number[] {
  const found = new Set<number>()
  for (const key of sent.keys()) {
    const [, row] = (key.startsWith(name) && ROW.exec(key.slice(name.length, name.length + 5))) || []
    if (row !== undefined && found.size < MOST_ROWS) found.add(Number(row))
  }
  return [...found].sort((one, other) => one - other)
}
