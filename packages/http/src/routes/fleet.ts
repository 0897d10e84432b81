import { ofLicense } from '@svc/core'
import { finite, flag, listOf, shape, text, whole } from '@svc/core/adapters'
import { optional } from 'superstruct'
import { json, UNBOUNDED } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { licenseBearer } from '../gates/license-bearer.ts'

const word = text(0, 512)

const backup = shape({
  hostname: word,
  last_capture_at: finite(),
  success: flag(),
  image_count: whole(0, Number.MAX_SAFE_INTEGER),
  repo_bytes: whole(0, Number.MAX_SAFE_INTEGER),
  last_drill_at: finite(),
  drill_pass: flag(),
  clock_ahead_seconds: optional(whole(0, Number.MAX_SAFE_INTEGER)),
})

/** Reading the fleet of a license (spec, GET /v1/fleet/servers and /v1/fleet/backups). */
export const fleetRoutes = [
  route({
    method: 'GET',
    path: '/v1/fleet/backups',
    summary: "List the backups of the license's hosts.",
    agent: true,
    gate: licenseBearer,
    operations: { 'fleet.backups': {} },
    query: { host: 'Only this hostname.' },
    replies: { 200: { description: 'The backups.', body: shape({ backups: listOf(backup, UNBOUNDED) }) } },
    handle: async ({ plane, caller, query }) =>
      json({ backups: await plane.agents.backups(ofLicense(caller.licenseId), query.host) }),
  }),
]
