import { type ControlPlane, ofLicense } from '@svc/core'
import type { ScriptedDns } from '@svc/testing'
import { stagedThings } from '../../../../test/support/features.ts'

/** A tenant with one of everything that can belong to a tenant. No tenant may learn of another. */
export interface Party {
  readonly tenantId: string
  readonly licenseId: string
  readonly key: string
  readonly fingerprint: string
  readonly hostname: string
  /** A claimed deploy job, a pending job, and an ended job. */
  readonly held: string
  readonly pending: string
  readonly ended: string
  readonly deployment: string
  readonly alert: string
  readonly dedupKey: string
  readonly conversation: string
  readonly visitor: string
  /** Ids of the things of other features, by kind. */
  readonly things: Readonly<Record<string, string>>
}

/** Sets up a tenant without its alert, which `withAlert` adds after two ticks. */
export async function stageParty(
  plane: ControlPlane,
  name: string,
  dns: ScriptedDns,
): Promise<Omit<Party, 'alert'>> {
  const { id: tenantId } = await plane.tenants.add(name)
  const { license, key } = await plane.licenses.issue({ tenantId, label: name })
  const owner = { licenseId: license.id, fingerprint: `${name}-0123456789` }
  const hostname = `${name}-host`
  await plane.agents.heartbeat({ ...QUIET, ...owner, hostname })
  const claimed = async () => {
    const { job } = await plane.jobs.claim({ ...owner, claimKey: undefined })
    if (job === undefined) throw new Error('nothing was due')
    return job.id
  }
  await plane.jobs.enqueue({ licenseId: license.id, kind: 'prune', payload: {} })
  const ended = await claimed()
  const report = { ...owner, attempt: undefined, exitCode: 0, error: undefined }
  await plane.jobs.report({ ...report, jobId: ended, state: 'succeeded' })
  const payload = { app: name, source: { type: 'image', image: `${name}:1` } }
  const { job } = await plane.jobs.enqueue({ licenseId: license.id, kind: 'deploy', payload })
  const held = await claimed()
  await plane.jobs.appendLogs({ ...LINES, ...owner, jobId: held, lines: [{ ts: 1, line: `${name} begins` }] })
  const { job: waits } = await plane.jobs.enqueue({ licenseId: license.id, kind: 'prune', payload: {} })
  const visitor = `visitor-of-${name}`
  return {
    tenantId,
    licenseId: license.id,
    key,
    fingerprint: owner.fingerprint,
    hostname,
    held,
    pending: waits.id,
    ended,
    deployment: job.deploymentId ?? '',
    dedupKey: `disk_high:${owner.fingerprint}`,
    conversation: await conversationOf(plane, visitor),
    visitor,
    things: await stagedThings(plane, license.id, dns),
  }
}

/** Returns the party with its alert, which a full disk has opened. */
export async function withAlert(plane: ControlPlane, party: Omit<Party, 'alert'>): Promise<Party> {
  const { alerts } = await plane.alerts.list(ofLicense(party.licenseId), {})
  const alert = alerts.find(({ dedupKey }) => dedupKey === party.dedupKey)
  if (alert === undefined) throw new Error('no alert was opened')
  return { ...party, alert: alert.id }
}

/** Creates a conversation of a visitor with an answer by a person; returns its id. */
export async function conversationOf(plane: ControlPlane, sessionId: string): Promise<string> {
  const incoming = { sessionId, message: 'How do I install the agent?' }
  const events = await plane.chat.converse(
    { ...incoming, conversationId: undefined, category: undefined, contact: undefined },
    new AbortController().signal,
  )
  let id = ''
  for await (const event of events ?? []) if (event.type === 'meta') id = event.conversationId
  await plane.chat.reply(id, `a word for ${sessionId}`)
  return id
}

const QUIET = {
  version: '1',
  state: 'ok',
  bootId: undefined,
  cpuPct: 1,
  memPct: 1,
  diskPct: 95,
  diskTotalGb: 10,
  lastCaptureAt: 1_767_600_000,
  captureSuccess: true,
  lastDrillAt: 1_767_600_000,
  drillPass: true,
  jobs: [],
}
const LINES = { attempt: undefined, offset: undefined, idempotencyKey: undefined }
