import type { Fault } from '../fault.ts'

const DIALLER = 'packages/core/src/platform/net/pinned-host.ts'
const SURFACE = 'packages/core/src/watch/surface'
const SCAN = 'packages/core/test/watch/surface/surface-scan.test.ts'
const RULES = 'packages/core/test/watch/surface/scan-rules.test.ts'
const DIALS = 'packages/core/test/platform/net/pinned-host.test.ts'
const SCANS = 'packages/core/test/watch/surface/surface-scans-store.test.ts'
const TARGETS = 'packages/core/test/watch/surface/surface-targets-store.test.ts'
const ROUTES = 'packages/http/test/routes/attack-surface.test.ts'

export const faults: readonly Fault[] = [
  {
    name: 'surface: an expression over a scanned file reads blank lines again from each of them',
    file: 'packages/core/src/outside/scan/file-probes.ts',
    find: '/^[ \\t]*\\[core\\]/m',
    replace: '/^\\s*\\[core\\]/m',
    suites: ['test/expressions.test.ts'],
  },
  {
    name: 'surface: a name of a private realm is scanned',
    file: 'packages/core/src/watch/surface/surface-target.ts',
    find: 'name === undefined || isPrivateName(name)',
    replace: 'name === undefined',
    suites: ['packages/core/test/watch/surface/scan-rules.test.ts'],
  },
  {
    name: 'surface: one public address is enough for a name',
    file: DIALLER,
    find: 'if (known.length === 0 || known.length < admitted.length) return undefined',
    replace: 'if (known.length === 0) return undefined',
    suites: [DIALS],
  },
  {
    name: 'surface: the dialler takes any object for a pinned host',
    file: DIALLER,
    find: 'if (!pinned.has(host) || !host.addresses.includes(address))',
    replace: 'if (!host.addresses.includes(address))',
    suites: [DIALS],
  },
  {
    name: 'surface: every port of any address is swept',
    file: 'packages/core/src/outside/scan/port-lists.ts',
    find: 'return attested && cdn === null ?',
    replace: "return attested || cdn !== 'none' ?",
    suites: [RULES],
  },
  {
    name: 'surface: all ports of a CDN are swept once a heartbeat came from there',
    file: 'packages/core/src/outside/scan/port-lists.ts',
    find: 'return attested && cdn === null ?',
    replace: "return attested && cdn !== 'none' ?",
    suites: [RULES],
  },
  {
    name: 'surface: an echo of the path attests an address',
    file: 'packages/core/src/outside/scan/attestation.ts',
    find: "if (sameSecret(answer.body.toString('utf8').trim(), `${CHALLENGE_PREFIX}${challenge}`)) return true",
    replace:
      'if (answer.body.includes(challenge) && sameSecret(challenge, challenge)) return CHALLENGE_PREFIX !== null',
    suites: [SCAN],
  },
  {
    name: 'surface: the record of any license proves a domain',
    file: `${SURFACE}/surface-target.ts`,
    find: 'update(`${licenseId}|${domain}`)',
    replace: 'update(`${licenseId.slice(0, 4)}|${domain}`)',
    suites: [SCAN],
  },
  {
    name: 'surface: a proof of yesterday is good for a scan',
    file: `${SURFACE}/surface-ownership.ts`,
    find: 'if (!proof.isProven) return',
    replace: 'if (!proof.isProven && target?.verifiedAt === undefined) return',
    suites: ['packages/core/test/watch/surface/surface.test.ts'],
  },
  {
    name: 'surface: a running scan does not look its proof up',
    file: `${SURFACE}/surface-worker.ts`,
    find: 'if (proof.isProven || (proof.isProven === undefined && this.#silences < 2)) return undefined',
    replace: 'if (proof.isProven !== undefined || this.#silences < 2) return undefined',
    suites: [SCAN],
  },
  {
    name: 'surface: a lost proof leaves the scan to itself',
    file: `${SURFACE}/surface-targets-store-sql.ts`,
    find: 'from noted n where not $3::boolean and s.license_id',
    replace: 'from noted n where $3::boolean is null and s.license_id',
    suites: [TARGETS],
  },
  {
    name: 'surface: redirects lead out of the domain',
    file: 'packages/core/src/outside/scan/web-look.ts',
    find: 'look.webOf(url.hostname)',
    replace: 'look.webOf(look.domain)',
    suites: [SCAN],
  },
  {
    name: 'surface: a server that answers everything has exposed files',
    file: 'packages/core/src/outside/scan/exposed-files.ts',
    find: 'if (baseline.some((shape) => isAlike(shape, shapeOf(answer)))) return false',
    replace: 'if (baseline.length > 9 && isAlike(shapeOf(answer), shapeOf(answer))) return false',
    suites: [RULES],
  },
  {
    name: 'surface: evidence shows values',
    file: `${SURFACE}/surface-finding.ts`,
    find: ".replace(VALUE, '$1…')",
    replace: ".replace(VALUE, '$&')",
    suites: [RULES],
  },
  {
    name: 'surface: names of other domains are scanned because a certificate has them',
    file: 'packages/core/src/outside/scan/certificate-names.ts',
    find: 'NAME.test(name) && isWithinDomain(name, domain)',
    replace: 'NAME.test(name) && (name.endsWith(domain) || isWithinDomain(name, domain))',
    suites: [RULES],
  },
  {
    name: 'surface: a host that timed out has its findings fixed',
    file: 'packages/core/src/outside/scan/web-look.ts',
    find: "if (files.isComplete) sight.looked('files', name)",
    replace: "sight.looked(files.isComplete ? 'files' : 'files', name)",
    suites: [SCAN],
  },
  {
    name: 'surface: any process ends a scan',
    file: `${SURFACE}/surface-statements-sql.ts`,
    find: "where id = $1 and lease_token = $2 and state = 'running' returning *),\n    seen as",
    replace: "where id = $1 and coalesce($2, '') <> '' and state = 'running' returning *),\n    seen as",
    suites: [SCANS],
  },
  {
    name: 'surface: a scan is begun as often as processes die',
    file: `${SURFACE}/surface-statements-sql.ts`,
    find: "(state = 'running' and lease_until <= ${at('$5')} and attempts < $4::int))",
    replace: "(state = 'running' and lease_until <= ${at('$5')} and attempts < $4::int + 9))",
    suites: [SCANS],
  },
  {
    name: 'surface: each license has its own six scans of a domain',
    file: `${SURFACE}/surface-statements-sql.ts`,
    find: 'from as_scans where domain = $3 and created_at >',
    replace: 'from as_scans where domain = $3 and license_id = $2 and created_at >',
    suites: [SCANS],
  },
  {
    name: 'surface: an address that a client made up is attested',
    file: 'packages/http/src/dispatch/request-view.ts',
    find: 'return isDirect ? clientAddress(remoteAddress) : undefined',
    replace: 'return clientAddress(isDirect ? remoteAddress : this.address)',
    suites: ['packages/http/test/dispatch/proven-address.test.ts'],
  },
  {
    name: 'surface: hosts of others are scanned when somebody names them',
    file: `${SURFACE}/surface.ts`,
    find: 'if (name !== undefined && isWithinDomain(name, domain)) return name',
    replace: "if (name !== undefined && (isWithinDomain(name, domain) || name.endsWith('.com'))) return name",
    suites: [ROUTES],
  },
  {
    name: 'surface: a short secret makes records',
    file: 'packages/core/src/watch/surface/feature.ts',
    find: 'each.length >= SECRET_CHARS_NEEDED',
    replace: 'each.length >= SECRET_CHARS_NEEDED - 23',
    suites: [ROUTES],
  },
  {
    name: 'surface: a scan is shown whoever owns it',
    file: 'packages/core/src/watch/surface/surface-statements-sql.ts',
    find: "selectFrom('as_scans').selectAll().where(isOwned)",
    replace: "selectFrom('as_scans').selectAll()",
    suites: ['packages/core/test/platform/storage/scopes.test.ts'],
  },
]
