import { isIP } from 'node:net'
import { getDomain } from 'tldts'

/** The domain of a host that somebody can register; the host itself if it has none. */
export function registrableDomain(host: string): string {
  const bare = host.replace(/^\[|\]$/g, '')
  if (isIP(bare) !== 0) return bare
  return getDomain(bare, { allowPrivateDomains: true }) ?? bare
}

/** Any domain. */
export const ANY_DOMAIN = '*'

/** Whether a host is one of the domains, or below one of them. */
export function isWithinDomains(host: string, domains: readonly string[]): boolean {
  const bare = host.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return domains.some((domain) => domain === ANY_DOMAIN || bare === domain || bare.endsWith(`.${domain}`))
}

/**
 * Returns the canonical spelling of a domain that a caller names, `*` included; undefined for a text that
 * is none, such as a public suffix, below which anybody can register.
 */
export function readDomain(text: string): string | undefined {
  if (text === ANY_DOMAIN) return text
  const url = /^[^\s/?#@\\:]{1,253}$/.test(text) ? URL.parse(`http://${text}/`) : null
  if (url === null) return undefined
  const host = url.hostname.replace(/\.$/, '')
  const isSuffix =
    isIP(host) === 0 && host.includes('.') && getDomain(host, { allowPrivateDomains: true }) === null
  return isSuffix ? undefined : host
}
