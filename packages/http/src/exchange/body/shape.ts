import type { JsonSchema, ListSchema } from '@svc/core/adapters'

/** The part of a struct that does not depend on its value type: it reads requests and describes replies. */
export interface Shape {
  readonly type: string
  readonly schema: unknown
  validate(value: unknown, options?: { coerce?: boolean }): readonly [unknown, unknown?]
}

/** Whether a field may be left out, because it is optional or has a default. */
export const isOmissible = (shape: Shape): boolean =>
  shape.validate(undefined, { coerce: true })[0] === undefined

/** The fields of an object shape by name. */
export const fieldsOf = (shape: Shape): readonly (readonly [string, Shape])[] =>
  Object.entries((shape.schema ?? {}) as Readonly<Record<string, Shape>>)

/** Names of shapes in the components of a document, by the schema of their struct. */
export type ShapeNames = ReadonlyMap<unknown, string>

/**
 * The JSON Schema (2020-12) of a shape. Shapes with a name stand as references to the document's components.
 * @throws TypeError for a struct that the validation of `@svc/core` did not make
 */
export function jsonSchema(shape: Shape, names: ShapeNames = new Map()): JsonSchema {
  const name = names.get(shape.schema)
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  if (shape.type === 'field') return shape.schema as JsonSchema
  if (shape.type === 'list') {
    const { items, maxItems } = shape.schema as ListSchema<unknown>
    return {
      type: 'array',
      items: jsonSchema(items as Shape, names),
      ...(Number.isFinite(maxItems) ? { maxItems } : {}),
    }
  }
  // `type` is an object of further keys, which a JSON Schema allows by default.
  if (shape.type !== 'object' && shape.type !== 'type')
    throw new TypeError(`no JSON Schema is known for a struct of type ${shape.type}`)
  const fields = fieldsOf(shape)
  const required = fields.filter(([, field]) => !isOmissible(field)).map(([name]) => name)
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, jsonSchema(field, names)]))
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties }
}
