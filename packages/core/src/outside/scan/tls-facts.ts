import type { DetailedPeerCertificate, PeerCertificate, TLSSocket } from 'node:tls'
import { present } from '../../kernel/present.ts'
import type { Finding } from '../../watch/surface/surface-finding.ts'
import { shownText } from '../../watch/surface/surface-finding.ts'
import type { TlsFacts } from '../../watch/surface/surface-scan.ts'

const MOST_NAMES = 20
const NAME_CHARS = 253
/** Days before its end when a certificate begins to count as about to expire. */
const EXPIRING_DAYS = 14

/** Reads the facts of a secured connection to a host. */
export function tlsFacts(socket: TLSSocket, host: string): TlsFacts {
  const certificate: PeerCertificate | DetailedPeerCertificate = socket.getPeerCertificate()
  const { issuer, valid_to: end = '', subjectaltname: names = '' } = certificate
  const known = names
    .split(', ')
    .filter((each) => each.startsWith('DNS:'))
    .map((each) => each.slice(4))
  const problem = socket.authorized ? undefined : problemOf(socket.authorizationError)
  return {
    protocol: socket.getProtocol() ?? 'unknown',
    issuer: shownText(String(issuer?.O ?? issuer?.CN ?? ''), 128),
    not_after: Math.floor((Date.parse(end) || 0) / 1000),
    names: known.slice(0, MOST_NAMES).map((each) => shownText(each, NAME_CHARS)),
    named: known.some((each) => covers(each.toLowerCase(), host)),
    valid: socket.authorized,
    ...present('problem', problem),
  }
}

/** Whether the name of a certificate is the host's; a wildcard stands for one label (RFC 6125). */
const covers = (name: string, host: string): boolean =>
  name === host || (name.startsWith('*.') && host.slice(host.indexOf('.')) === name.slice(1))

function problemOf(given: unknown): string {
  const text = typeof given === 'object' && given !== null && 'code' in given ? given.code : given
  return shownText(String(text ?? 'unknown'), 64)
}

const SELF_SIGNED = /SELF_SIGNED/
const UNKNOWN_ISSUER = /^(?:UNABLE_TO_|CERT_UNTRUSTED)/

/** Returns the findings about a certificate at an instant. */
export function tlsFindings(
  facts: TlsFacts,
  { host, port, now }: { readonly host: string; readonly port: number; readonly now: Date },
): Finding[] {
  const daysLeft = (facts.not_after - now.getTime() / 1000) / 86_400
  const of = (id: string, severity: Finding['severity'], evidence: string, remediation: string): Finding => ({
    id,
    check: 'fingerprint',
    severity,
    host,
    place: host,
    url: `https://${host}${port === 443 ? '' : `:${port}`}/`,
    evidence: shownText(evidence, 64),
    remediation,
  })
  const end = new Date(facts.not_after * 1000).toISOString().slice(0, 10)
  const found: Finding[] = []
  if (daysLeft <= 0) found.push(of('tls-expired', 'medium', `not after ${end}`, 'renew the certificate'))
  else if (daysLeft < EXPIRING_DAYS)
    found.push(
      of('tls-expiring', 'medium', `not after ${end}`, 'renew the certificate and see why it was not'),
    )
  if (!facts.named)
    found.push(of('tls-name-mismatch', 'low', facts.names.join(' '), 'serve a certificate for this name'))
  if (facts.problem !== undefined && SELF_SIGNED.test(facts.problem))
    found.push(of('tls-self-signed', 'low', facts.issuer, 'serve a certificate of a public authority'))
  if (facts.problem !== undefined && UNKNOWN_ISSUER.test(facts.problem))
    found.push(of('tls-untrusted', 'low', facts.issuer, 'serve the whole chain of a public authority'))
  return found
}
