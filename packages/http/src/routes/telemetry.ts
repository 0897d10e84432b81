import type { LicenseClaim } from '@svc/core'
import { finite, flag, listOf, MAX_OBSERVED, observedEntry, shape, text, whole } from '@svc/core/adapters'
import { type Infer, optional } from 'superstruct'
import { hotJsonBody } from '../exchange/body/json-body.ts'
import { json } from '../exchange/reply.ts'
import { type Gate, type GateRequest, route } from '../exchange/route.ts'
import { agentStatementGate } from '../gates/agent-statement-gate.ts'
import { attempt, cancelHeaders, fingerprint, INVALID, jobId } from './job-fields.ts'

const MAX_RENEWED_JOBS = 64

/** A host's report about itself (spec, Heartbeat request; docs/agents.md). */
export const heartbeatBody = shape({
  fingerprint,
  hostname: optional(text(0, 255)),
  version: optional(text(0, 128)),
  state: optional(text(0, 64)),
  cpu_pct: optional(finite()),
  mem_pct: optional(finite()),
  disk_pct: optional(finite()),
  disk_total_gb: optional(finite()),
  backup_health: optional(shape({ last_capture_at: optional(finite()), success: optional(flag()) })),
  restore_drill: optional(shape({ last_at: optional(finite()), pass: optional(flag()) })),
  boot_id: optional(text(0, 128)),
  jobs: optional(listOf(shape({ id: jobId, attempt }), MAX_RENEWED_JOBS)),
  /** The apps that the host keeps running, as far as their state has changed. */
  apps: optional(listOf(observedEntry, MAX_OBSERVED)),
})

const heartbeatResult = shape({
  ack: flag(),
  next_interval: whole(1, 86_400),
  refresh: optional(text(1, 4096)),
})

/** Returns a heartbeat in the form that the registry takes. */
export const beatOf = (caller: LicenseClaim, body: Infer<typeof heartbeatBody>) => ({
  licenseId: caller.licenseId,
  keyDigest: caller.keyDigest,
  fingerprint: body.fingerprint,
  hostname: body.hostname,
  version: body.version,
  state: body.state,
  bootId: body.boot_id,
  cpuPct: body.cpu_pct,
  memPct: body.mem_pct,
  diskPct: body.disk_pct,
  diskTotalGb: body.disk_total_gb,
  lastCaptureAt: body.backup_health?.last_capture_at,
  captureSuccess: body.backup_health?.success,
  lastDrillAt: body.restore_drill?.last_at,
  drillPass: body.restore_drill?.pass,
  jobs: body.jobs ?? [],
})

/** A caller with the address that it has for certain. */
interface Beater {
  readonly claim: LicenseClaim
  readonly request: Pick<GateRequest, 'provenAddress'>
}

const agents = agentStatementGate({ name: 'heartbeat', limit: 30, windowSeconds: 60 })
const gate: Gate<Beater> = {
  ...agents,
  admit: (request) => {
    const claim = agents.admit(request)
    return claim instanceof Promise ? claim.then((each) => ({ claim: each, request })) : { claim, request }
  },
}

/** Heartbeats (spec, POST /v1/telemetry/heartbeat). */
export const telemetryRoutes = [
  route({
    name: 'fleet.heartbeat',
    method: 'POST',
    path: '/v1/telemetry/heartbeat',
    summary: 'Report a host as alive; renews the leases of the jobs it lists.',
    agent: true,
    gate,
    body: hotJsonBody(heartbeatBody),
    replies: {
      200: {
        description: 'The heartbeat is stored.',
        body: heartbeatResult,
        headers: {
          'Svc-Cancel': 'Ids of jobs of this host that should stop, joined by commas.',
          'Svc-Apps': '1: the service takes `apps`.',
        },
      },
      ...INVALID,
    },
    handle: async ({ plane, caller: { claim, request }, body }) => {
      const { nextInterval, refresh, cancel } = await plane.agents.heartbeat(beatOf(claim, body))
      const noting = plane.surface.noteAddress?.(claim.licenseId, request)
      if (noting !== undefined) await noting
      if (body.apps !== undefined) await plane.apps.observe(beatOf(claim, body), body.apps)
      // A field that is undefined is left out of the JSON.
      return json(
        { ack: true, next_interval: nextInterval, refresh },
        { ...cancelHeaders(cancel), 'svc-apps': '1' },
      )
    },
  }),
]
