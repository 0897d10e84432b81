import type { FieldKind } from './fields.ts'

/**
 * Returns the value that a person typed, in the type of its field; undefined if there is none. A text that
 * has another type stays a text, so that the operation refuses it by the field's name.
 */
export function readValue(kind: FieldKind, typed: string, isSecret = false): unknown {
  const lines = typed.replaceAll('\r\n', '\n')
  const text = isSecret ? lines : lines.trim()
  if (text === '') return undefined
  switch (kind.type) {
    case 'number':
      return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : text
    case 'yes-no':
      return text === 'yes' ? true : text === 'no' ? false : text
    case 'instant':
      // The browser's field has no zone: its name says that it is UTC.
      return instantOf(/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text) ? `${text}Z` : text, kind.isSecond)
    case 'lines':
      return linesOf(text)
    case 'pairs':
      return Object.fromEntries(linesOf(text).map(pairOf))
    case 'json':
      return parsed(text)
    default:
      return text
  }
}

function instantOf(text: string, isSecond: boolean): unknown {
  const ms = Date.parse(text)
  return isSecond && !Number.isNaN(ms) ? Math.floor(ms / 1000) : text
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function pairOf(line: string): readonly [string, string] {
  const at = line.indexOf('=')
  return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1)]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Returns a value in the form in which its field has it. */
export function typedValue(kind: FieldKind, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (kind.type === 'yes-no') return value === true ? 'yes' : value === false ? 'no' : String(value)
  if (kind.type === 'lines' && Array.isArray(value)) return value.join('\n')
  if (kind.type === 'pairs' && typeof value === 'object')
    return Object.entries(value)
      .map(([name, each]) => `${name}=${each}`)
      .join('\n')
  if (kind.type === 'instant') {
    const typed = String(value)
    const isLocal = /^\d{4}-\d\d-\d\dT[\d:.]{1,16}$/.test(typed)
    const instant = new Date(typeof value === 'number' ? value * 1000 : isLocal ? `${typed}Z` : typed)
    return Number.isNaN(instant.getTime()) ? '' : instant.toISOString().slice(0, 16)
  }
  return typeof value === 'object' ? JSON.stringify(value, undefined, 2) : String(value)
}
