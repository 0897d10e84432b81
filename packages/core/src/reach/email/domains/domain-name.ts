import { getDomain } from 'tldts'

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
