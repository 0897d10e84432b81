import fc from 'fast-check'

type Schema = Readonly<Record<string, unknown>>

/** A field of a schema, with the path of names to it. */
export interface Field {
  readonly names: readonly string[]
  readonly schema: Schema
}

/** The JSON types that a field may have. */
export const typesOf = ({ type, enum: words }: Schema): readonly string[] =>
  words === undefined ? [type].flat().map(String) : ['string']

/** Every field of a schema, also of its objects and of the entries of its lists. */
export function fieldsOf(schema: Schema, names: readonly string[] = []): readonly Field[] {
  const own = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>)
  return own.flatMap(([name, field]) => {
    const here = [...names, name]
    const items = field.type === 'array' ? fieldsOf(field.items as Schema, [...here, '0']) : []
    return [{ names: here, schema: field }, ...fieldsOf(field, here), ...items]
  })
}

const VALID: Readonly<Record<string, string>> = {
  number: '1',
  integer: '1',
  boolean: 'true',
  array: '[]',
  object: '{}',
}

/** Returns a good value as JSON, with `text` as the value of the field at `names`. */
export function spell(schema: Schema, names: readonly string[], text: string): string {
  const [name, ...rest] = names
  if (name === undefined) return text
  if (schema.type === 'array') return `[${spell(schema.items as Schema, rest, text)}]`
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>
  const required = (schema.required ?? []) as readonly string[]
  const kept = Object.entries(properties).filter(([each]) => each === name || required.includes(each))
  const fields = kept.map(([each, field]) => {
    const value = each === name ? spell(field, rest, text) : valid(field)
    return `${JSON.stringify(each)}:${value}`
  })
  return `{${fields.join(',')}}`
}

function valid(schema: Schema): string {
  if (schema.enum !== undefined) return JSON.stringify((schema.enum as unknown[])[0])
  const type = typesOf(schema)[0] ?? ''
  if (typeof schema.pattern === 'string') {
    const [text] = fc.sample(fc.stringMatching(new RegExp(schema.pattern), { size: 'small' }), {
      numRuns: 1,
      seed: 1,
    })
    return JSON.stringify(text)
  }
  if (type === 'string') return JSON.stringify('x'.repeat(Math.max(1, Number(schema.minLength ?? 1))))
  return VALID[type] ?? 'null'
}
