import { isMap, isScalar, parseDocument, visit } from 'yaml'
import { BadVariable, interpolated, type Lookup } from './interpolate.ts'

/** A value of the file: an object, a list, a text, a number, a word, or nothing. */
export type Raw = Readonly<Record<string, unknown>>

const MAX_CHARS = 262_144
const MAX_NODES = 20_000
const MAX_ALIASES = 100

/** Everything that was found out about a file: why it is refused, and lines for the log. */
export class Findings {
  readonly faults: string[] = []
  readonly notes: string[] = []

  fault(place: string, why: string): undefined {
    this.faults.push(`${place}: ${why}`)
    return undefined
  }

  note(line: string): void {
    if (!this.notes.includes(line)) this.notes.push(line)
  }
}

export const isObject = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns an object's entries; a fault, and none, for another value that is there. */
export function entriesOf(value: unknown, place: string, found: Findings): readonly [string, unknown][] {
  if (value === undefined || value === null) return []
  if (isObject(value)) return Object.entries(value)
  found.fault(place, 'expected names with values')
  return []
}

/** Returns the text of a value that is one, also of a number or a word; undefined for others. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined

/** Returns a list of texts, also when one stands alone; a fault for everything else. */
export function textsOf(value: unknown, place: string, found: Findings): readonly string[] {
  if (value === undefined || value === null) return []
  const list = (Array.isArray(value) ? value : [value]).map(textOf)
  const texts = list.filter((each) => each !== undefined)
  if (texts.length < list.length) found.fault(place, 'expected a list of texts')
  return texts
}

/**
 * Reads the text of a compose file, with bounds on its size, its nodes and its aliases, and puts variables
 * into its values. Returns undefined when it cannot be read: the findings say why.
 */
export function readYaml(text: string, lookup: Lookup, found: Findings): Raw | undefined {
  if (text.length > MAX_CHARS) return found.fault('the file', `it has more than ${MAX_CHARS} characters`)
  const document = parseDocument(text, { merge: true, uniqueKeys: true, logLevel: 'silent' })
  const [error] = document.errors
  if (error !== undefined) return found.fault('the file', error.message.split('\n')[0] ?? 'it is not YAML')
  let nodes = 0
  visit(document, () => {
    nodes += 1
    return nodes > MAX_NODES ? visit.BREAK : undefined
  })
  if (nodes > MAX_NODES) return found.fault('the file', `it has more than ${MAX_NODES} values`)
  if (!isMap(document.contents) || document.contents.items.some(({ key }) => !isScalar(key)))
    return found.fault('the file', 'expected names with values')
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
    const filled = fill(value, '', { lookup, found, left: MAX_NODES })
    return isObject(filled) ? filled : undefined
  } catch (error) {
    return found.fault(
      'the file',
      error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unreadable',
    )
  }
}

interface Filling {
  readonly lookup: Lookup
  readonly found: Findings
  /** Values that may still come: aliases repeat theirs. */
  left: number
}

function fill(value: unknown, place: string, filling: Filling): unknown {
  filling.left -= 1
  if (filling.left < 0) throw new Error(`its aliases make more than ${MAX_NODES} values`)
  if (Array.isArray(value)) return value.map((each, index) => fill(each, `${place}.${index}`, filling))
  if (isObject(value)) {
    const entries = Object.entries(value).filter(([key]) => !key.startsWith('x-'))
    const filled = entries.map(([key, each]) => [
      key,
      fill(each, place === '' ? key : `${place}.${key.slice(0, 64)}`, filling),
    ])
    return Object.fromEntries(filled)
  }
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'string' || !value.includes('$')) return value
  try {
    const { text, unset } = interpolated(value, filling.lookup)
    for (const name of unset) filling.found.note(`${name} is not set: it is empty in ${place}`)
    return text
  } catch (error) {
    if (error instanceof BadVariable) return filling.found.fault(place, error.message)
    throw error
  }
}
