import { ofLicense, Problem } from '@svc/core'
import {
  flag,
  type Licensee,
  listOf,
  SURFACE_SHAPES,
  scanHead,
  scanRequest,
  scanView,
  seenTargetView,
  shape,
  targetRequest,
  targetView,
  text,
} from '@svc/core/adapters'
import { optional } from 'superstruct'
import { jsonBody } from '../exchange/body/json-body.ts'
import { json } from '../exchange/reply.ts'
import { type Gate, type Reply, route } from '../exchange/route.ts'
import { agentGate } from '../gates/agent-gate.ts'
import { licenseDeed } from '../gates/license-deed.ts'
import type { RouteLimit } from '../gates/limit.ts'
import { INVALID } from './job-fields.ts'

const PATH = '/api/v1/attack-surface'
const TARGETS_LISTED = 1000

const READS: RouteLimit = { name: 'surface-read', limit: 60, windowSeconds: 60 }
const CHECKS: RouteLimit = { name: 'surface-check', limit: 20, windowSeconds: 60 }

/** A gate that also asks whether the plane scans. */
const scanning = (gate: Gate<Licensee>): Gate<Licensee> => ({
  ...gate,
  replies: {
    ...gate.replies,
    503: { description: 'Scans are turned off, or no secret is configured.' },
  },
  admit: async (request) => {
    const licensee = await gate.admit(request)
    request.plane.surface.requireConfigured()
    return licensee
  },
})

const ANY = Number.POSITIVE_INFINITY
const { target, seenTarget, scan, head } = SURFACE_SHAPES
const checked = shape({ target })
const started = shape({ ok: flag(), scan: head })
const shown = shape({ scan })
const listed = shape({ targets: listOf(seenTarget, ANY) })
const refusal = shape({ error: text(0, 256), challenge: optional(SURFACE_SHAPES.challenge) })
const busy = shape({ error: text(0, 256), scan: optional(shape({ id: text(0, 64) })) })

const targetBody = jsonBody(targetRequest)
const scanBody = jsonBody(scanRequest)

/** Routes of attack surfaces (docs/surface.md). */
export const attackSurfaceRoutes = [
  route({
    name: 'surface.verify.licensed',
    method: 'POST',
    path: PATH,
    summary: 'Add a domain to be looked at from outside, or look its proof of ownership up again.',
    gate: scanning(licenseDeed('scans', CHECKS)),
    body: targetBody,
    replies: {
      200: { description: 'The license has the domain already; its proof was looked up.', body: checked },
      201: { description: 'The domain is added, with the record to publish.', body: checked },
      ...INVALID,
      409: { description: 'The license has as many domains as it may.' },
    },
    handle: async ({ plane, caller, body }) => {
      const { target: found, challenge, isNew } = await plane.surface.add(caller.licenseId, body.domain)
      return json({ target: targetView(found, challenge) }, undefined, isNew ? 201 : 200)
    },
  }),
  route({
    name: 'surface.list.licensed',
    method: 'GET',
    path: PATH,
    summary: 'List the domains of the license with the state of their newest scans.',
    gate: scanning(agentGate(READS)),
    query: { domain: 'Only this domain.' },
    replies: { 200: { description: 'The domains.', body: listed }, 400: { description: 'A bad domain.' } },
    handle: async ({ plane, caller: { licenseId }, query: { domain } }) => {
      const named = domain === undefined ? undefined : plane.surface.nameOf(domain)
      const targets = await plane.surface.list(ofLicense(licenseId), { domain: named, limit: TARGETS_LISTED })
      return json({ targets: targets.map(seenTargetView) })
    },
  }),
  route({
    name: 'surface.scan.licensed',
    method: 'POST',
    path: `${PATH}/scan`,
    summary: 'Look at a domain from outside, once its ownership is proven.',
    gate: scanning(licenseDeed('scans', CHECKS)),
    body: scanBody,
    replies: {
      202: { description: 'The scan waits for its turn.', body: started },
      ...INVALID,
      403: {
        description: 'The ownership is not proven; `challenge` is the record to publish.',
        body: refusal,
      },
      409: { description: 'A scan of the domain has not ended; `scan` names it.', body: busy },
    },
    handle: async ({ plane, caller, body }): Promise<Reply> => {
      const answer = await plane.surface.start(caller.licenseId, body)
      if (answer.outcome === 'queued') return json({ ok: true, scan: scanHead(answer.scan) }, undefined, 202)
      if (answer.outcome === 'running')
        return json({ error: 'scan already running', scan: { id: answer.id } }, undefined, 409)
      return json({ error: 'domain ownership not proven', challenge: answer.challenge }, undefined, 403)
    },
  }),
  route({
    name: 'surface.show.licensed',
    method: 'GET',
    path: `${PATH}/scan`,
    summary: 'Read a scan and its findings.',
    gate: scanning(agentGate(READS)),
    query: { id: 'The scan.' },
    replies: {
      200: { description: 'The scan.', body: shown },
      400: { description: 'No id.' },
      404: { description: 'The license has no such scan.' },
    },
    handle: async ({ plane, caller, query: { id } }) => {
      if (id === undefined) throw new Problem('invalid-input', { details: ['id: expected the id of a scan'] })
      return json({ scan: scanView(await plane.surface.scan(ofLicense(caller.licenseId), id)) })
    },
  }),
]
