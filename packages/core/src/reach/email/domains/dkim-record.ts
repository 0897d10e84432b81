import type { RecordFinding } from './email-domain.ts'

type Fault = Pick<RecordFinding, 'status' | 'detail'>

const invalid = (detail: string): Fault => ({ status: 'invalid', detail })
const listed = (value: string): readonly string[] => value.split(':').map((each) => each.trim())

/** Whether a text at the name of a key is meant as its record, rightly written or not. */
export const isKeyLike = (text: string): boolean => /^\s*v\s*=\s*dkim1|(?:^|;)\s*p\s*=/i.test(text)

/**
 * Returns the fault of a key's record as receivers read it (RFC 6376, section 3.6.1); undefined if they
 * accept our signatures. Names of tags and their values are case-sensitive, and a tag that comes twice voids
 * the record.
 */
export function keyFault(text: string, publicKey: string): Fault | undefined {
  if (text.includes('\\')) return invalid('it has backslashes: publish the semicolons without them')
  const parts = text.split(';').map((part) => part.trim())
  const tags = new Map<string, string>()
  for (const [at, part] of parts.entries()) {
    if (part === '' && at === parts.length - 1) continue
    const [, name = '', value = ''] = /^([a-zA-Z]\w*)\s*=(.*)$/s.exec(part) ?? []
    if (name === '') return invalid('it is no list of tags with semicolons between them')
    if (tags.has(name)) return invalid(`the tag ${name} comes twice`)
    tags.set(name, value.trim())
  }
  return tagFault(tags) ?? valueFault(tags.get('p'), publicKey)
}

function tagFault(tags: ReadonlyMap<string, string>): Fault | undefined {
  const [first] = tags.keys()
  const { v = 'DKIM1', k = 'rsa', s = '*', h = 'sha256' } = Object.fromEntries(tags)
  if (v !== 'DKIM1' || (tags.has('v') && first !== 'v'))
    return invalid('the tag v is not DKIM1, in capitals and first')
  if (k !== 'rsa') return invalid('the tag k is not rsa')
  if (!listed(s).some((each) => each === '*' || each === 'email'))
    return invalid('the tag s does not allow email')
  return listed(h).includes('sha256') ? undefined : invalid('the tag h does not allow sha256')
}

function valueFault(published: string | undefined, publicKey: string): Fault | undefined {
  if (published === undefined) return invalid('the tag p is missing')
  const value = published.replace(/\s+/g, '')
  if (value === publicKey) return undefined
  return {
    status: 'mismatch',
    detail: value === '' ? 'revoked: the tag p is empty' : 'another key is published',
  }
}
