import { optional } from 'superstruct'
import { unixSeconds } from '../../../kernel/clock.ts'
import { flag, listOf, namedShape, text, whole } from '../../../kernel/validation.ts'
import type { Tenants } from '../../../people/tenants/tenants.ts'
import { operationOf } from '../../../platform/operations/operation.ts'
import type { AlertMailboxes as Mailboxes } from './alert-deliveries-store.ts'
import { type AlertMailboxes, MAX_ALERT_ADDRESSES } from './alert-mailboxes.ts'
import { tenantIdOf } from './alert-webhook-operations.ts'

/** The services that operations on mailboxes of alerts use. */
export interface AlertMailUses {
  readonly alertMailboxes: AlertMailboxes
  readonly tenants: Tenants
}

const operation = operationOf<AlertMailUses>()
const tenant = optional(text(1, 128))
const writes = { permission: 'platform.admin', scope: 'platform', changes: true } as const

const mailboxesView = ({ tenantId, addresses, createdAt }: Mailboxes) => ({
  ...(tenantId === '' ? {} : { tenant_id: tenantId }),
  addresses: [...addresses],
  created_at: unixSeconds(createdAt),
})
/** Mail addresses for alerts as operators see them. */
export type MailboxesView = ReturnType<typeof mailboxesView>

const addresses = listOf(text(3, 320), MAX_ALERT_ADDRESSES)
const described = namedShape('AlertMailbox', {
  tenant_id: optional(text(1, 64)),
  addresses,
  created_at: whole(0, Number.MAX_SAFE_INTEGER),
})

/** Operations on mail addresses for alerts. */
export const alertMailOperations = [
  operation({
    name: 'alerts.mailboxes',
    summary: 'list the mail addresses that alerts are sent to',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    answer: { mailboxes: listOf(described, Number.POSITIVE_INFINITY) },
    input: {},
    run: async ({ alertMailboxes }, _, { scope }) => ({
      mailboxes: (await alertMailboxes.list(scope)).map(mailboxesView),
    }),
  }),
  operation({
    name: 'alerts.mail-set',
    summary: "send a tenant's alerts to these mail addresses, in place of those it had",
    ...writes,
    answer: { mailboxes: described },
    input: { tenant, to: listOf(text(3, 320), MAX_ALERT_ADDRESSES) },
    run: async (services, input, { scope }) => {
      const tenantId = await tenantIdOf(scope, services, input.tenant)
      return { mailboxes: mailboxesView(await services.alertMailboxes.set(tenantId, input.to)) }
    },
  }),
  operation({
    name: 'alerts.mail-remove',
    summary: "send a tenant's alerts to no mail address",
    ...writes,
    answer: { ok: flag() },
    input: { tenant },
    run: async (services, input, { scope }) => {
      await services.alertMailboxes.remove(await tenantIdOf(scope, services, input.tenant))
      return { ok: true }
    },
  }),
  operation({
    name: 'alerts.mail-test',
    summary: "send a test message to a tenant's mail addresses now",
    ...writes,
    answer: { id: text(1, 64) },
    input: { tenant },
    run: async (services, input, { scope }) => ({
      id: await services.alertMailboxes.test(await tenantIdOf(scope, services, input.tenant)),
    }),
  }),
]
