import { agentId, type EmailMessage, type GitDelivery, type GitHook, type Image } from '@svc/core/ports'
import type { MemoryOrder } from '../../hosts/provisioning/memory-order.ts'
import type { MemoryTables } from '../../memory-tables.ts'
import type { MemoryEmailDomain } from '../email/email-domains-store-memory.ts'
import { epoch, tell } from './memory-event.ts'

/** Makes the tables of messages, sending domains, images, pushes and orders tell events. */
export function tellMoreEvents(tables: MemoryTables): void {
  tables.of<EmailMessage>('emailMessages').onPut((row, before) => messageEvent(tables, row, before))
  tables.of<MemoryEmailDomain>('emailDomains').onPut((row, before) => domainEvent(tables, row, before))
  tables.of<Image>('images').onPut((row, before) => before === undefined && imageEvent(tables, row))
  tables.of<GitDelivery>('gitDeliveries').onPut((row, before) => pushEvent(tables, row, before))
  tables.of<MemoryOrder>('provisioningOrders').onPut((row, before) => orderEvent(tables, row, before))
}

function messageEvent(tables: MemoryTables, message: EmailMessage, before: EmailMessage | undefined): void {
  const { id, owner, state, settledAt: at, recipients, tags } = message
  if (before === undefined || before.settledAt !== undefined || at === undefined || state === 'cancelled')
    return
  const what = state === 'failed' ? 'failed' : 'sent'
  const numberOf = (wanted: string) => recipients.filter((each) => each.state === wanted).length
  const numbers = { accepted: numberOf('accepted'), bounced: numberOf('bounced') }
  const said = Object.keys(tags).length === 0 ? {} : { tags }
  tell(tables, {
    licenseId: owner,
    type: `email.${what}`,
    fact: `email:${id}:${what}:${epoch(at)}`,
    sequence: id,
    at,
    data: { email_id: id, state, ...numbers, ...said },
  })
}

function domainEvent(
  tables: MemoryTables,
  domain: MemoryEmailDomain,
  before: MemoryEmailDomain | undefined,
): void {
  const { id, owner, name, status, checkedAt: at, findings } = domain
  const isNews = before !== undefined && before.status !== status
  if (!isNews || at === undefined || (status !== 'verified' && status !== 'failed')) return
  const records = [
    { record: 'DKIM', status: findings.dkim?.status ?? 'pending' },
    { record: 'SPF', status: findings.spf?.status ?? 'pending' },
    { record: 'DMARC', status: findings.dmarc?.status ?? 'pending' },
  ]
  tell(tables, {
    licenseId: owner,
    type: `email.domain.${status}`,
    fact: `email-domain:${id}:${status}:${epoch(at)}`,
    sequence: id,
    at,
    data: { domain_id: id, name, records },
  })
}

function imageEvent(tables: MemoryTables, image: Image): void {
  const { id, licenseId, fingerprint, firstSeenAt: at, checksum, kind, app, jobId } = image
  const data = { image_id: id, server_id: agentId(fingerprint), checksum, kind, app, job_id: jobId }
  const told = { fact: `image:${id}`, sequence: fingerprint, at, data }
  tell(tables, { licenseId, type: 'image.registered', ...told })
}

function pushEvent(tables: MemoryTables, delivery: GitDelivery, before: GitDelivery | undefined): void {
  const { id, hookId, ref, sha, jobId, ignored, receivedAt: at } = delivery
  const hook = tables.of<GitHook>('gitHooks').get(hookId)
  const isNews = ignored === undefined && jobId !== before?.jobId
  if (!isNews || jobId === undefined || hook === undefined) return
  const { licenseId, app } = hook
  tell(tables, {
    licenseId,
    type: 'git.push',
    fact: `git:${id}:${jobId}`,
    sequence: hookId,
    at,
    data: { hook_id: hookId, app, ref, sha, job_id: jobId },
  })
}

function orderEvent(tables: MemoryTables, order: MemoryOrder, before: MemoryOrder | undefined): void {
  const { id, licenseId, state, stateSince: at, provider, errorCode } = order
  if (before === undefined || before.state === state) return
  tell(tables, {
    licenseId,
    type: 'provisioning.state_changed',
    fact: `provisioning:${id}:${state}:${epoch(at)}`,
    sequence: id,
    at,
    data: { order_id: id, previous_state: before.state, state, provider, error_code: errorCode },
  })
}
