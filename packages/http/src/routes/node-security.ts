import { Problem } from '@svc/core'
import {
  dryRunView,
  flag,
  outcomeView,
  ROLLBACK_SECONDS,
  read,
  SECURITY_ANSWERS,
  securitySettings,
  securityView,
  shape,
  text,
  whole,
} from '@svc/core/adapters'
import { type Infer, optional } from 'superstruct'
import { jsonBody } from '../exchange/body/json-body.ts'
import { json } from '../exchange/reply.ts'
import { type Replies, type Reply, route } from '../exchange/route.ts'
import { agentGate } from '../gates/agent-gate.ts'
import { licenseDeed } from '../gates/license-deed.ts'
import { fingerprint, INVALID } from './job-fields.ts'

const PATH = '/api/v1/node/security'

/** The author of a document that was changed by the key of its license. */
const BY_LICENSE = 'license'

const UNOWNED: Replies = { 404: { description: 'The license has no such host.' } }

const getQuery = shape({ fingerprint })

/** The body that sets, tries or resends a document. */
const postBody = shape({
  fingerprint,
  settings: optional(securitySettings),
  if_revision: optional(whole(0, 2_147_483_647)),
  dry_run: optional(flag()),
  reapply: optional(flag()),
  force: optional(flag()),
  rollback_s: optional(whole(ROLLBACK_SECONDS.min, ROLLBACK_SECONDS.max)),
})

const done = shape({
  ...SECURITY_ANSWERS.set,
  dry_run: optional(flag()),
  rendered: optional(text(0, Number.MAX_SAFE_INTEGER)),
})

/** @throws Problem `invalid-input` unless either settings or `reapply` are there, which nobody can try */
function settingsOf({ settings, reapply = false, dry_run = false }: Infer<typeof postBody>) {
  if ((settings === undefined) === reapply && !(reapply && dry_run)) return settings
  const details = [
    reapply ? 'reapply: expected neither settings nor dry_run beside it' : 'settings: expected an object',
  ]
  throw new Problem('invalid-input', { details })
}

const accepted = (body: ReturnType<typeof outcomeView>): Reply =>
  json(body, {}, body.job_id === undefined ? 200 : 202)

/** The document of a host about its firewall and hardening. */
export const nodeSecurityRoutes = [
  route({
    name: 'security.show.licensed',
    method: 'GET',
    path: PATH,
    summary: 'Read the firewall and hardening of a host, and whether they were applied.',
    gate: agentGate({ name: 'node-security-read', limit: 60, windowSeconds: 60 }),
    query: { fingerprint: 'The host.' },
    replies: {
      200: { description: 'The document, and the latest job.', body: shape(SECURITY_ANSWERS.show) },
      400: { description: 'No fingerprint.' },
      ...UNOWNED,
    },
    handle: async ({ plane, caller: { licenseId }, query }) => {
      const host = { licenseId, ...read(getQuery, query) }
      return json(securityView(host, await plane.nodeSecurity.show(host)))
    },
  }),
  route({
    name: 'security.act.licensed',
    method: 'POST',
    path: PATH,
    summary: 'Give a host a firewall and hardening, try them, or send them once more.',
    gate: licenseDeed('node-security', { name: 'node-security-write', limit: 20, windowSeconds: 60 }),
    body: jsonBody(postBody),
    replies: {
      200: { description: 'Nothing is to be done: an equal document, or a dry run.', body: done },
      202: { description: 'A job carries the document to the host.', body: done },
      409: {
        description:
          'Another revision than `if_revision`, settings that would lock people out, or a host that cannot.',
      },
      ...INVALID,
      ...UNOWNED,
    },
    handle: async ({ plane: { nodeSecurity }, caller: { licenseId, by = BY_LICENSE }, body }) => {
      const host = { licenseId, fingerprint: body.fingerprint }
      const { if_revision: ifRevision, rollback_s: rollbackSeconds, force } = body
      const options = { ifRevision, rollbackSeconds, force, updatedBy: by }
      const settings = settingsOf(body)
      if (settings === undefined) return accepted(outcomeView(await nodeSecurity.reapply(host, options)))
      if (body.dry_run) return json(dryRunView(await nodeSecurity.dryRun(host, settings, options)))
      return accepted(outcomeView(await nodeSecurity.set(host, settings, options)))
    },
  }),
]
