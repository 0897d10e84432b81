import {
  type ChoiceSchema,
  choiceIn,
  isSamePart,
  type JsonSchema,
  type ListSchema,
  type MapSchema,
  nameOf,
} from '@svc/core/adapters'

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

/** The shapes with a name that a document has met. */
export class Components {
  readonly #shapes = new Map<string, unknown>()
  readonly #schemas = new Map<string, JsonSchema>()

  /**
   * Returns the reference to a shape, which `describe` describes when it is met for the first time.
   * @throws TypeError when another shape has the name
   */
  reference(name: string, { schema }: Shape, describe: () => JsonSchema): JsonSchema {
    const known = this.#shapes.get(name)
    if (known === undefined) {
      this.#shapes.set(name, schema)
      this.#schemas.set(name, describe())
    } else if (!isSamePart(known, schema)) throw new TypeError(`two shapes are named ${name}`)
    return { $ref: `#/components/schemas/${name}` }
  }

  /** The schemas of all of them by name, in the order of their names. */
  get schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)))
  }
}

/**
 * The JSON Schema (2020-12) of a shape. With `components` the shapes that have a name stand as references to
 * them.
 * @throws TypeError for a struct that the validation of `@svc/core` did not make
 */
export function jsonSchema(shape: Shape, components?: Components): JsonSchema {
  const name = nameOf(shape.schema)
  return name === undefined || components === undefined
    ? inlineSchema(shape, components)
    : components.reference(name, shape, () => inlineSchema(shape, components))
}

function inlineSchema(shape: Shape, components: Components | undefined): JsonSchema {
  if (shape.type === 'field') return shape.schema as JsonSchema
  if (shape.type === 'list') {
    const { items, maxItems } = shape.schema as ListSchema<unknown>
    return {
      type: 'array',
      items: jsonSchema(items as Shape, components),
      ...(Number.isFinite(maxItems) ? { maxItems } : {}),
    }
  }
  if (shape.type === 'record') {
    const { values } = shape.schema as MapSchema
    return { type: 'object', additionalProperties: jsonSchema(values, components) }
  }
  if (shape.type === 'choice') return choiceSchema(shape.schema as ChoiceSchema, components)
  // `type` is an object of further keys, which a JSON Schema allows by default.
  if (shape.type !== 'object' && shape.type !== 'type')
    throw new TypeError(`no JSON Schema is known for a struct of type ${shape.type}`)
  const choice = choiceIn(shape.schema as object)
  if (choice === undefined) return objectSchema(fieldsOf(shape), components)
  const told = new Set(
    Object.values(choice.schema.shapes).flatMap((each) => fieldsOf(each).map(([name]) => name)),
  )
  const own = fieldsOf(shape).filter(([name]) => !told.has(name))
  // A generator takes a choice within `allOf` for a parent class, so the choice stands beside the fields.
  return { ...objectSchema(own, components), ...choiceSchema(choice.schema, components) }
}

function choiceSchema({ by, shapes }: ChoiceSchema, components: Components | undefined): JsonSchema {
  const told = Object.entries(shapes).map(([word, shape]) => [word, jsonSchema(shape, components)] as const)
  const mapping = Object.fromEntries(told.map(([word, { $ref }]) => [word, $ref]))
  return { oneOf: told.map(([, schema]) => schema), discriminator: { propertyName: by, mapping } }
}

function objectSchema(fields: ReturnType<typeof fieldsOf>, components: Components | undefined): JsonSchema {
  const required = fields.filter(([, field]) => !isOmissible(field)).map(([name]) => name)
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, jsonSchema(field, components)]))
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties }
}
