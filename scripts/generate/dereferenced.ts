/**
 * Returns a JSON document in which each reference to a part of it, `{ "$ref": "#/components/…" }`, is that
 * part, except for those that are `kept`. No part may contain itself.
 * @throws Error for a reference that leads nowhere
 */
export function dereferenced(document: object, kept: (reference: string) => boolean): unknown {
  const told = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(told)
    if (typeof part !== 'object' || part === null) return part
    if ('$ref' in part && typeof part.$ref === 'string' && !kept(part.$ref))
      return told(partAt(document, part.$ref))
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, told(inner)]))
  }
  return told(document)
}

function partAt(document: object, reference: string): unknown {
  let part: unknown = document
  for (const name of reference.slice('#/'.length).split('/')) part = Object(part)[name]
  if (part === undefined) throw new Error(`the API document has no ${reference}`)
  return part
}
