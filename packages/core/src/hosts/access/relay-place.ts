import { hash } from 'node:crypto'
import type { Config } from '../../platform/config/config.ts'
import type { SignerStatus } from '../../platform/signing/signer.ts'

/** Why sessions on hosts cannot be had. */
export type RelayLack = 'off' | 'bad-setting' | 'no-address' | 'plain-address' | 'no-key'

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

const isPlain = (url: string): boolean => {
  const { protocol, hostname } = new URL(url)
  return protocol === 'ws:' && !LOOPBACK.test(hostname)
}

/**
 * Returns why no relay is configured; undefined if one is. Plain `ws:` to another machine counts as none
 * in production.
 */
export function relayLack(
  { relay, faults, service }: Pick<Config, 'relay' | 'faults' | 'service'>,
  signer: SignerStatus,
): RelayLack | undefined {
  if (faults.relay !== undefined || faults.access !== undefined) return 'bad-setting'
  if (relay.mode === 'off') return 'off'
  if (relay.urls.length === 0) return 'no-address'
  if (service.production && relay.urls.some(isPlain)) return 'plain-address'
  return signer === 'ready' ? undefined : 'no-key'
}

/** Returns the relay of a session: the same one for both sides, spread over all. */
export function relayOf(urls: readonly string[], sessionId: string): string {
  const place = hash('sha256', sessionId, 'buffer').readUInt32BE() % Math.max(1, urls.length)
  return urls[place] ?? ''
}
