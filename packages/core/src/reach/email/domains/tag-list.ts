/** Returns the tags of a DKIM or DMARC record, `name=value;`; the first of a name counts. */
export function tagsOf(text: string): ReadonlyMap<string, string> {
  const tags = new Map<string, string>()
  for (const part of text.split(';')) {
    const at = part.indexOf('=')
    const name = part.slice(0, at).trim().toLowerCase()
    if (at > 0 && name !== '' && !tags.has(name)) tags.set(name, part.slice(at + 1).trim())
  }
  return tags
}

/** Whether a record begins with a tag of this value. */
export function isTagged(text: string, name: string, value: string): boolean {
  const [first = ''] = text.split(';')
  return tagsOf(first).get(name) === value
}
