import { domainToASCII } from 'node:url'
import { isPrintable } from '../email-page.ts'

/** One mailbox, rebuilt from its parts: nothing of the text it was read from is sent. */
export interface Mailbox {
  /** Display name; `''` for none. */
  readonly name: string
  readonly local: string
  /** In lower case, with A-labels. */
  readonly domain: string
}

const MAX_LOCAL = 64
const MAX_DOMAIN = 253
const MAX_NAME = 128
// Quoted local-parts, literals, groups, routes, comments and lists, which RFC 5322 has, have no place here.
const FORM = /^(?:(?:"((?:[^"\\]|\\["\\])*)"|([^"<>()[\]:;@\\,]*?)) *<([^<>\s]+)>|([^<>\s"]+))$/u
const DOT_ATOM = /^[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/**
 * Reads one mailbox: an address, an address in angle brackets, or one with a display name before it. Returns
 * undefined for everything else that RFC 5322 would allow.
 */
export function readMailbox(text: string): Mailbox | undefined {
  if (!isPrintable(text)) return undefined
  const [, quoted, plain, bracketed, bare] = FORM.exec(text.trim()) ?? []
  const address = bracketed ?? bare
  if (address === undefined) return undefined
  const at = address.lastIndexOf('@')
  const local = address.slice(0, at)
  const domain = readDomain(address.slice(at + 1))
  const name = (quoted?.replaceAll(/\\(["\\])/g, '$1') ?? plain ?? '').trim()
  const isGood = at > 0 && local.length <= MAX_LOCAL && DOT_ATOM.test(local) && isGoodName(name)
  return isGood && domain !== undefined ? { name, local, domain } : undefined
}

// A name with an address in it, or an encoded word, shows another sender than there is.
const isGoodName = (name: string): boolean =>
  name.length <= MAX_NAME && !name.includes('@') && !name.includes('=?')

function readDomain(given: string): string | undefined {
  if (/[^\p{L}\p{N}\p{M}.-]/u.test(given)) return undefined
  const domain = domainToASCII(given.toLowerCase())
  const labels = domain.split('.')
  const isName =
    labels.length > 1 && labels.every((label) => LABEL.test(label)) && /[a-z]/.test(labels.at(-1) ?? '')
  return isName && domain.length <= MAX_DOMAIN ? domain : undefined
}

/** The address of a mailbox. */
export const addressOf = ({ local, domain }: Mailbox): string => `${local}@${domain}`
