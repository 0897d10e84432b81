import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from 'node:tls'
import { Problem } from '@svc/core'

const CERTIFICATE_MS = 60_000
const LOOK_MS = 500
const LOOKUP_MS = 10_000

/**
 * Demands that visitors of a name come to this host: an authority counts the tries for a certificate.
 * @throws Problem `conflict` with the addresses that the name has
 */
export async function demandAddress(domain: string): Promise<void> {
  const none: LookupAddress[] = []
  const found = await Promise.race([
    lookup(domain, { all: true }).catch(() => none),
    pause(LOOKUP_MS, none, { ref: false }),
  ])
  const own = new Set(
    Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address)),
  )
  if (found.some(({ address }) => own.has(address))) return
  const where = found.length === 0 ? 'no address' : found.map(({ address }) => address).join(', ')
  throw new Problem('conflict', {
    detail: `${domain} has ${where}, and none of this host: change its DNS record first, or give --force when a translation of addresses leads here`,
  })
}

/** The time in which a certificate counts. */
export interface Certificate {
  readonly from: Date
  readonly until: Date
}

/** The certificate that the proxy shows for a name; undefined when it has none in time. */
export async function certificateOf(domain: string): Promise<Certificate | undefined> {
  for (let waited = 0; waited < CERTIFICATE_MS; waited += LOOK_MS) {
    const shown = await shownCertificate(domain)
    if (shown !== undefined) return shown
    await pause(LOOK_MS)
  }
  return undefined
}

/** The certificate that the proxy shows for a name now. */
export function shownCertificate(domain: string): Promise<Certificate | undefined> {
  const { promise, resolve } = Promise.withResolvers<Certificate | undefined>()
  // Its authority is the visitors' business: here it matters that there is one for this name.
  const socket = connect(
    { host: '127.0.0.1', port: 443, servername: domain, rejectUnauthorized: false },
    () => {
      const { valid_from: from, valid_to: until, subjectaltname: names = '' } = socket.getPeerCertificate()
      const isIts = names.split(', ').includes(`DNS:${domain}`)
      socket.destroy()
      resolve(isIts ? { from: new Date(from), until: new Date(until) } : undefined)
    },
  )
  socket.setTimeout(LOOK_MS * 4, () => socket.destroy())
  socket.once('error', () => resolve(undefined))
  socket.once('close', () => resolve(undefined))
  return promise
}
