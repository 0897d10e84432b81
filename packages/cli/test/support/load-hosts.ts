import { createHash } from 'node:crypto'

/** The fingerprint of a host of a load, by its number. */
export const fingerprintOf = (host: number): string => `load-${host}-${'f'.repeat(32)}`

/** The key of a host's own license. */
export const keyOf = (host: number): string =>
  `svc_${createHash('sha256').update(`load ${host}`).digest('base64url')}`

/** Returns the statement that writes the licenses of `hosts` hosts into a migrated database. */
export const licenseHosts = (hosts: number) => ({
  text: `insert into licenses (id, key_digest) select 'lic_' || n, digest
    from unnest($1::text[]) with ordinality as key (digest, n)`,
  values: [
    Array.from({ length: hosts }, (_, host) => createHash('sha256').update(keyOf(host)).digest('hex')),
  ],
})
