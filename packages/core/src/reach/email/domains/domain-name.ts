import { domainToASCII } from 'node:url'
import { getDomain, parse } from 'tldts'

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
const MAX_NAME = 253

/**
 * Reads the name of a sending domain: in lower case, with A-labels, without its trailing dot. Returns
 * undefined unless it is a registrable domain or below one.
 */
export function readDomainName(given: string): string | undefined {
  // `domainToASCII` would read `1.2` and `0x7f.1` as addresses, and drop characters that a URL may not have.
  if (!/^[^\s/?#@:%\\[\]*_]+$/u.test(given)) return undefined
  const name = domainToASCII(given.replace(/\.$/, '').toLowerCase())
  if (name.length > MAX_NAME || !name.split('.').every((label) => LABEL.test(label))) return undefined
  const { domain, isIp, publicSuffix } = parse(name)
  return domain === null || isIp === true || name === publicSuffix ? undefined : name
}

/** The domain that is registered, such as `example.com` for `mail.example.com`. */
export const registrable = (name: string): string => getDomain(name) ?? name

/**
 * The part of a record's name that DNS panels ask for, because they append the zone: `mail` of
 * `mail.example.com`, `@` for the zone itself.
 */
export function hostOf(recordName: string, domain: string): string {
  const zone = registrable(domain)
  return recordName === zone ? '@' : recordName.slice(0, -(zone.length + 1))
}
