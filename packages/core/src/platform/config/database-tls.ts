import ipaddr from 'ipaddr.js'

/** Consequences of a database connection without verified TLS: a warning, or a refusal to start. */
export const DATABASE_TLS = ['warn', 'require'] as const

/**
 * Whether the connection to the database leaves this machine without TLS whose certificate is checked against
 * the host's name. Only `sslmode=verify-full` counts: other modes mean different things to different drivers.
 * `pgHost`: the host if the URL names none.
 */
export function leavesUnverified(url: string, pgHost: string | undefined): boolean {
  const { hostname, searchParams } = new URL(url)
  const modes = searchParams.getAll('sslmode')
  const isVerified = modes.length > 0 && modes.every((mode) => mode === 'verify-full')
  const host = searchParams.getAll('host').at(-1) || hostname || pgHost || 'localhost'
  return !isVerified && !isThisMachine(host.replace(/^\[(.+)\]$/, '$1'))
}

/** Whether a host is a socket file, a loopback address or `localhost`. */
function isThisMachine(host: string): boolean {
  if (/^(?:\/|%2f)/i.test(host) || host.toLowerCase() === 'localhost') return true
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback'
}
