import { createHmac } from 'node:crypto'
import { SECRET_CHARS_NEEDED } from '../config/shared-secret.ts'
import type { Health } from '../health/health.ts'
import type { DnsClient } from '../monitors/dns-client.ts'
import { operatorOutbound } from '../net/operator-outbound.ts'
import { pinnedDialler } from '../net/pinned-host.ts'
import { CertificateNames, CT_LIMITS, certificateSources } from '../surface/scan/certificate-names.ts'
import { Pace } from '../surface/scan/pacing.ts'
import { Surface } from '../surface/surface.ts'
import { SurfaceMetrics } from '../surface/surface-metrics.ts'
import { SurfaceWorker } from '../surface/surface-worker.ts'
import type { Base } from './base.ts'

const CRT_SH = 'https://crt.sh/?q=%25.{domain}&output=json'
/** Connections of scans in a second, over all scans of a process. */
const CONNECTS_PER_SECOND = 200

/** Wires scans of domains from outside. */
export function surfaceOf(base: Base, dns: DnsClient, health: Health) {
  const { config, log, metrics: registry, timers } = base
  const { ctUrl = CRT_SH, certSpotterToken, mostRunning, dnsServers: named } = config.surface
  const site = config.service.publicUrl?.replace(/\/$/, '')
  const userAgent = `svc-attack-surface/1${site === undefined ? '' : ` (+${site}/security)`}`
  const outbound = operatorOutbound({ log, limits: CT_LIMITS })
  const sources = certificateSources(ctUrl, certSpotterToken)
  const tools = {
    ...base,
    dns,
    dnsServers: named.length > 0 ? named : dns.systemServers(),
    secrets: secretsOf(base),
    dialler: pinnedDialler(config.outbound),
    certificates: new CertificateNames({ ...base, outbound, sources, userAgent }),
    pace: new Pace(timers, CONNECTS_PER_SECOND),
    userAgent,
    mostRunning,
    draining: health.draining,
  }
  const metrics = new SurfaceMetrics(registry, () => worker.size)
  const worker: SurfaceWorker = new SurfaceWorker({ ...tools, metrics })
  return new Surface({ ...tools, worker })
}

/**
 * The secrets of the challenges. Without a setting there is none in production; elsewhere the key beside the
 * data stands in, so that a record stays good over a restart, else one of this process alone.
 */
function secretsOf({ config, production, storage, ids }: Base): readonly string[] {
  if (config.surface.enabled === '0' || config.faults.surface !== undefined) return []
  const given = config.surface.secrets.filter((each) => each.length >= SECRET_CHARS_NEEDED)
  if (given.length > 0 || production) return given
  const [key = ids.secret(32)] = storage.dataKeys ?? []
  return [createHmac('sha256', key).update('attack-surface').digest('base64url')]
}
