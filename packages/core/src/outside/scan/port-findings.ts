import { evidenceOf, type Finding, type FindingSeverity } from '../../watch/surface/surface-finding.ts'
import type { ServiceSight } from './port-probe.ts'

interface Exposure {
  readonly id: string
  readonly severity: FindingSeverity
  readonly remediation: string
}

const close = (what: string): string => `let only your own addresses reach ${what}`

/** Services that answered an anonymous request, by their answer. */
const ANONYMOUS: readonly (Exposure & { readonly service: string; readonly says: RegExp })[] = [
  {
    service: 'redis',
    says: /^\+PONG/,
    id: 'exposed-redis',
    severity: 'high',
    remediation: close('Redis, and set a password'),
  },
  {
    service: 'docker',
    says: /"ApiVersion"|"MinAPIVersion"/i,
    id: 'exposed-docker',
    severity: 'high',
    remediation: close('the Docker API: everybody who does is root on the host'),
  },
  {
    service: 'elasticsearch',
    says: /"cluster_name"|You Know, for Search/,
    id: 'exposed-elasticsearch',
    severity: 'high',
    remediation: close('Elasticsearch, and turn on its security'),
  },
  {
    service: 'etcd',
    says: /"etcdserver"/,
    id: 'exposed-etcd',
    severity: 'high',
    remediation: close('etcd, and require client certificates'),
  },
  {
    service: 'kubelet',
    says: /^HTTP\/1\.[01] 200[\s\S]*"?kind"?/,
    id: 'exposed-kubelet',
    severity: 'high',
    remediation: close('the kubelet, and turn off its anonymous access'),
  },
]

const DATABASE: Exposure = { id: 'public-database', severity: 'medium', remediation: close('the database') }
const DESKTOP: Exposure = {
  id: 'public-remote-desktop',
  severity: 'medium',
  remediation: close('the desktop'),
}
const SHARE: Exposure = { id: 'public-file-share', severity: 'medium', remediation: close('file shares') }

/** Services that should not be public at all. */
const PUBLIC: Readonly<Record<string, Exposure>> = {
  mssql: DATABASE,
  oracle: DATABASE,
  mysql: DATABASE,
  postgresql: DATABASE,
  couchdb: DATABASE,
  redis: DATABASE,
  elasticsearch: DATABASE,
  etcd: DATABASE,
  cassandra: DATABASE,
  memcached: DATABASE,
  mongodb: DATABASE,
  influxdb: DATABASE,
  rdp: DESKTOP,
  vnc: DESKTOP,
  smb: SHARE,
  netbios: SHARE,
  nfs: SHARE,
  telnet: {
    id: 'public-telnet',
    severity: 'medium',
    remediation: 'use SSH: telnet sends passwords in clear text',
  },
  ftp: { id: 'public-ftp', severity: 'medium', remediation: 'use SFTP: FTP sends passwords in clear text' },
}

/** Returns the finding about an open port; undefined for a service that may be public. */
export function portFinding(host: string, port: number, seen: ServiceSight): Finding | undefined {
  const anonymous = ANONYMOUS.find(({ service, says }) => service === seen.service && says.test(seen.said))
  const exposure = anonymous ?? PUBLIC[seen.service]
  if (exposure === undefined) return undefined
  const { id, severity, remediation } = exposure
  const evidence = evidenceOf(seen.banner ?? firstLine(seen.said)) || `port ${port} is open`
  return { id, check: 'ports', severity, host, place: `${host}:${port}`, evidence, remediation }
}

const firstLine = (text: string): string => text.split(/\r?\n/, 1)[0] ?? ''
