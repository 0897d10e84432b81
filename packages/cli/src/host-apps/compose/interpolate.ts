/** Looks a variable up. */
export type Lookup = (name: string) => string | undefined

/** The end of an interpolation. */
export interface Interpolated {
  readonly text: string
  /** Variables that are not set, and for which nothing else is said. */
  readonly unset: readonly string[]
}

const MAX_CHARS = 65_536
/** How deep values may stand in values: `${A:-${B}}`. */
const MAX_DEPTH = 2
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}/
const OPERATOR = /^:?[-?+]/

/** A text that is no interpolation, in words. */
export class BadVariable extends Error {}

/**
 * Puts variables into a text: `$A`, `${A}`, `${A:-x}`, `${A-x}`, `${A:?words}`, `${A?words}`, `${A:+x}`,
 * `${A+x}`, and `$$` for a dollar.
 * @throws BadVariable for another form, and for a variable that has to be set
 */
export function interpolated(text: string, lookup: Lookup): Interpolated {
  const unset: string[] = []
  return { text: within(text, lookup, unset, 1), unset }
}

function within(text: string, lookup: Lookup, unset: string[], depth: number): string {
  let out = ''
  for (let at = 0; at < text.length; ) {
    const dollar = text.indexOf('$', at)
    if (dollar < 0) return bounded(out + text.slice(at))
    out += text.slice(at, dollar)
    if (text[dollar + 1] === '$') {
      out += '$'
      at = dollar + 2
    } else if (text[dollar + 1] === '{') {
      const end = closing(text, dollar + 2)
      out += insertion(text.slice(dollar + 2, end), lookup, unset, depth)
      at = end + 1
    } else {
      const [name] = NAME.exec(text.slice(dollar + 1, dollar + 130)) ?? []
      if (name === undefined) throw new BadVariable('a dollar that names no variable: write $$')
      out += insertion(name, lookup, unset, depth)
      at = dollar + 1 + name.length
    }
    bounded(out)
  }
  return out
}

function bounded(text: string): string {
  if (text.length > MAX_CHARS) throw new BadVariable(`a value has more than ${MAX_CHARS} characters`)
  return text
}

/** The place of the bracket that closes the one before `from`. */
function closing(text: string, from: number): number {
  let open = 1
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '{' && text[at - 1] === '$') open += 1
    else if (text[at] === '}') open -= 1
    if (open === 0) return at
  }
  throw new BadVariable('a ${ without its }')
}

function insertion(inner: string, lookup: Lookup, unset: string[], depth: number): string {
  const [name] = NAME.exec(inner) ?? []
  if (name === undefined) throw new BadVariable('a ${ that names no variable')
  const rest = inner.slice(name.length)
  const [operator = ''] = OPERATOR.exec(rest) ?? []
  if (rest !== '' && operator === '') throw new BadVariable(`\${${name}…} has an operator that is not known`)
  const value = lookup(name)
  const isThere = operator.startsWith(':') ? value !== undefined && value !== '' : value !== undefined
  const other = () => {
    if (depth >= MAX_DEPTH && rest.includes('${'))
      throw new BadVariable(`\${${name}…} nests deeper than \${A:-\${B}}`)
    return within(rest.slice(operator.length), lookup, unset, depth + 1)
  }
  if (operator.endsWith('+')) return isThere ? other() : ''
  if (isThere) return value ?? ''
  if (operator.endsWith('-')) return other()
  if (operator.endsWith('?')) throw new BadVariable(`${name} is not set: ${other() || 'it has to be'}`)
  if (value === undefined) unset.push(name)
  return value ?? ''
}
