import { domainToASCII } from 'node:url'
import { parse } from 'tldts'

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
const MAX_NAME = 253

/**
 * Reads the name of a domain: in lower case, with A-labels, without its trailing dot. Returns
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
