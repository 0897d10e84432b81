import ipaddr from 'ipaddr.js'
import { SpfSyntaxError } from './spf-record.ts'

/** Values of macros. */
export interface MacroValues {
  readonly ip: string
  /** The domain whose record is evaluated at the moment. */
  readonly domain: string
  /** The domain of the sender. */
  readonly sender: string
}

const MACRO = /%(?:\{([slodiphvcrt])(\d{0,3})(r?)([.\-+,/_=]*)\}|([%_-])|())/gi
const LITERALS: Readonly<Record<string, string>> = { '%': '%', _: ' ', '-': '%20' }
const MAX_NAME = 253
const LOCAL_PART = 'postmaster'

/** Expands the macros of a name (RFC 7208, section 7). @throws SpfSyntaxError */
export function expandMacros(text: string, values: MacroValues): string {
  const expanded = text.replace(MACRO, (whole, letter, digits, reversed, delimiters, literal) => {
    if (literal !== undefined) return LITERALS[literal] ?? ''
    if (letter === undefined) throw new SpfSyntaxError(`"${whole}" is no macro`)
    if (digits !== '' && Number(digits) === 0) throw new SpfSyntaxError(`"${whole}" keeps no part`)
    return transformed(macroValue(letter.toLowerCase(), values), digits, reversed !== '', delimiters)
  })
  return shortened(expanded)
}

function transformed(value: string, digits: string, isReversed: boolean, delimiters: string): string {
  let parts = partsOf(value, delimiters === '' ? '.' : delimiters)
  if (isReversed) parts = parts.reverse()
  return (digits === '' ? parts : parts.slice(-Number(digits))).join('.')
}

/** Splits at each of the delimiters. */
function partsOf(value: string, delimiters: string): string[] {
  let parts = ['']
  for (const char of value) {
    if (delimiters.includes(char)) parts = [...parts, '']
    else parts[parts.length - 1] += char
  }
  return parts
}

function macroValue(letter: string, { ip, domain, sender }: MacroValues): string {
  switch (letter) {
    case 's':
      return `${LOCAL_PART}@${sender}`
    case 'l':
      return LOCAL_PART
    case 'o':
    case 'h':
      return sender
    case 'd':
      return domain
    case 'i':
      return dotted(ip)
    case 'v':
      return ip.includes(':') ? 'ip6' : 'in-addr'
    case 'p':
      return 'unknown'
    default:
      throw new SpfSyntaxError(`the macro ${letter} is for explanations`)
  }
}

const dotted = (ip: string): string =>
  ip.includes(':')
    ? ipaddr.IPv6.parse(ip)
        .toByteArray()
        .flatMap((byte) => [byte >> 4, byte & 15])
        .map((digit) => digit.toString(16))
        .join('.')
    : ip

function shortened(name: string): string {
  let rest = name.replace(/\.$/, '')
  while (rest.length > MAX_NAME && rest.includes('.')) rest = rest.slice(rest.indexOf('.') + 1)
  return rest
}
