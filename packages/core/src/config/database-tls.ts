import ipaddr from 'ipaddr.js'

/** Whether the way to the database has to be TLS with a checked certificate. */
export const DATABASE_TLS = ['warn', 'require'] as const

/**
 * Whether what is said to the database leaves this machine without TLS whose certificate is checked against
 * the name of the host. Only `sslmode=verify-full` counts: other words mean different things to different
 * drivers. `pgHost`: the host of an address that names none.
 */
export function leavesUnverified(url: string, pgHost: string | undefined): boolean {
  const { hostname, searchParams } = new URL(url)
  const modes = searchParams.getAll('sslmode')
  const isVerified = modes.length > 0 && modes.every((mode) => mode === 'verify-full')
  const host = searchParams.getAll('host').at(-1) || hostname || pgHost || 'localhost'
  return !isVerified && !isThisMachine(host.replace(/^\[(.+)\]$/, '$1'))
}

/** A socket file, a loopback address, or their name. */
function isThisMachine(host: string): boolean {
  if (/^(?:\/|%2f)/i.test(host) || host.toLowerCase() === 'localhost') return true
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback'
}
