/**
 * The spelling of a JSON text, which a test can make wrong on purpose: with fields in any order, repeated
 * names, and any text as a value.
 */
export type Spelled =
  | { readonly raw: string }
  | { readonly list: readonly Spelled[] }
  | { readonly fields: readonly (readonly [string, Spelled])[] }

/** The spelling of a plain value. */
export function spelled(value: unknown): Spelled {
  if (Array.isArray(value)) return { list: value.map(spelled) }
  if (typeof value !== 'object' || value === null) return { raw: JSON.stringify(value) ?? 'null' }
  return { fields: Object.entries(value).map(([name, item]) => [name, spelled(item)] as const) }
}

/** The text of a spelling. */
export function textOf(value: Spelled): string {
  if ('raw' in value) return value.raw
  if ('list' in value) return `[${value.list.map(textOf).join(',')}]`
  return `{${value.fields.map(([name, item]) => `${JSON.stringify(name)}:${textOf(item)}`).join(',')}}`
}

/** The number of places of a value that can be changed: the value itself and everything below. */
export function places(value: Spelled): number {
  if ('raw' in value) return 1
  const below = 'list' in value ? value.list : value.fields.map(([, item]) => item)
  return below.reduce((sum, item) => sum + places(item), 1)
}

/** The value with its `place`th part changed. */
export function changedAt(value: Spelled, place: number, change: (part: Spelled) => Spelled): Spelled {
  if (place === 0 || 'raw' in value) return change(value)
  let left = place - 1
  const visit = (item: Spelled): Spelled => {
    const size = places(item)
    const isHere = left >= 0 && left < size
    const visited = isHere ? changedAt(item, left, change) : item
    left -= size
    return visited
  }
  if ('list' in value) return { list: value.list.map(visit) }
  return { fields: value.fields.map(([name, item]) => [name, visit(item)] as const) }
}
