import { isIP } from 'node:net'
import { OutboundRefused } from './outbound-refusal.ts'

const URL_CHARS_MAX = 8_192
const HOST_CHARS_MAX = 253
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const HTTP_PORT = 80
const HTTPS_PORT = 443
const FREE_PORTS_FROM = 1_024

/** Ports above 1023 that browsers refuse, because a request could pass as another protocol (WHATWG Fetch). */
const FOREIGN_PORTS: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
])

/** Target of a call. The URL is parsed once, and later steps use only the result. */
export interface Target {
  readonly url: URL
  /** The name without a trailing dot, or the address without brackets. */
  readonly host: string
  readonly isLiteral: boolean
  readonly isSecure: boolean
  readonly port: number
}

/** Reads a URL as browsers do (WHATWG), relative to `base` if given. Throws `OutboundRefused`. */
export function readTarget(
  text: string,
  options: { plainHttp: boolean; anyPort?: boolean; base?: URL },
): Target {
  const url = text.length <= URL_CHARS_MAX ? URL.parse(text, options.base?.href) : null
  if (!url) throw new OutboundRefused('bad-url')
  const isSecure = url.protocol === 'https:'
  if (!isSecure && !(options.plainHttp && url.protocol === 'http:')) throw new OutboundRefused('scheme')
  if (url.username !== '' || url.password !== '') throw new OutboundRefused('credentials')
  const host = readHost(url)
  const port = url.port === '' ? (isSecure ? HTTPS_PORT : HTTP_PORT) : Number(url.port)
  if (!options.anyPort && !isFit(port)) throw new OutboundRefused('port')
  return { url, host, isLiteral: isIP(host) !== 0, isSecure, port }
}

/** The message for an address that `readTarget` refused: the expected form. */
export function expectedTarget({ refusal }: OutboundRefused, { plainHttp }: { plainHttp: boolean }): string {
  if (refusal === 'port')
    return 'expected port 80 or 443, or one above 1023 that no other protocol has (port)'
  return `expected an ${plainHttp ? 'http or https' : 'https'} address without user and password (${refusal})`
}

function isFit(port: number): boolean {
  if (port === HTTP_PORT || port === HTTPS_PORT) return true
  return port >= FREE_PORTS_FROM && !FOREIGN_PORTS.has(port)
}

function readHost(url: URL): string {
  if (url.hostname.startsWith('[')) return url.hostname.slice(1, -1)
  // Certificates and Host headers have names without the root's trailing dot (RFC 6066, section 3).
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  const host = url.hostname
  const isName = host.length <= HOST_CHARS_MAX && host.split('.').every((label) => LABEL.test(label))
  if (!isName) throw new OutboundRefused('bad-url')
  return host
}
