import type { DeliveriesStore, Stores } from '@svc/core/ports'
import type { StoresSeam } from '@svc/testing/simulator'
import type { PlantedBug } from './planted-bug.ts'

const planted = (
  name: string,
  rules: readonly string[],
  wrong: (stores: Stores, seam: StoresSeam) => Partial<Stores>,
): PlantedBug => ({
  name,
  rules,
  seams: { stores: (stores, seam) => ({ ...stores, ...wrong(stores, seam) }) },
})

const inDeliveries = (
  name: string,
  rules: readonly string[],
  wrong: (deliveries: DeliveriesStore, seam: StoresSeam) => Partial<DeliveriesStore>,
): PlantedBug =>
  planted(name, rules, ({ deliveries }, seam) => ({
    deliveries: { ...deliveries, ...wrong(deliveries, seam) },
  }))

type Recipient = ReturnType<StoresSeam['tables']['recipients']['all']>[number]

/** Faults in webhooks. */
export const webhookBugs: readonly PlantedBug[] = [
  planted(
    'webhook: messages of a job overtake each other',
    ['messages of a job are sent in order'],
    ({ deliveries }, { tables }) => ({
      deliveries: {
        ...deliveries,
        takeDue: async (request) => {
          const waiting = tables.deliveries.all().filter(({ sequence }) => sequence !== undefined)
          for (const each of waiting) tables.deliveries.put(each.id, { ...each, sequence: undefined })
          const taken = await deliveries.takeDue(request)
          for (const { id, sequence } of waiting) {
            const now = tables.deliveries.get(id)
            if (now !== undefined) tables.deliveries.put(id, { ...now, sequence })
          }
          return taken
        },
      },
    }),
  ),
  planted(
    'webhook: what failed counts as sent',
    ['a message counts as sent when it has arrived'],
    ({ deliveries }) => ({
      deliveries: {
        ...deliveries,
        settle: (settlement) =>
          deliveries.settle(settlement.state === 'due' ? { ...settlement, state: 'sent' } : settlement),
      },
    }),
  ),
  planted(
    'webhook: the end of a job is not told',
    ['what happens to a job is told once'],
    ({ jobs }, { tables }) => ({
      jobs: {
        ...jobs,
        report: async (write) => {
          const before = new Set(tables.of<object>('webhookMessages').all())
          const done = await jobs.report(write)
          const messages = tables.of<{ readonly id: string }>('webhookMessages')
          for (const each of messages.all()) if (!before.has(each)) messages.put(each.id, undefined)
          return done
        },
      },
    }),
  ),
  planted('webhook: what waits is given up at once', ['no message is given up early'], ({ deliveries }) => ({
    deliveries: {
      ...deliveries,
      settle: (settlement) =>
        deliveries.settle(settlement.state === 'due' ? { ...settlement, state: 'failed' } : settlement),
    },
  })),
  inDeliveries(
    'webhook: a success does not close a breaker',
    ['failures open a breaker, a success closes it'],
    (deliveries) => ({
      settle: ({ verdict, ...settlement }) =>
        deliveries.settle({ ...settlement, verdict: verdict?.delivered === true ? undefined : verdict }),
    }),
  ),
  inDeliveries(
    'webhook: an open breaker lets all through',
    ['a breaker that is not closed lets one probe through'],
    (deliveries, { tables: { recipients } }) => ({
      takeDue: (request) => {
        const put = (row: Recipient) => recipients.put(JSON.stringify([row.kind, row.recipient]), row)
        const rows = recipients.all().filter(({ breaker }) => breaker !== 'closed')
        for (const row of rows) put({ ...row, breaker: 'closed' })
        // The statement takes effect when it is called.
        const taken = deliveries.takeDue(request)
        for (const row of rows) put(row)
        return taken
      },
    }),
  ),
  inDeliveries('webhook: a breaker rests for no time', ['an open breaker rests'], (deliveries) => ({
    settle: (settlement) => {
      const { verdict } = settlement
      const policy = verdict && { ...verdict.policy, cooldownSeconds: 0 }
      return deliveries.settle({ ...settlement, verdict: verdict && policy && { ...verdict, policy } })
    },
  })),
  inDeliveries(
    'webhook: failures do not open a breaker',
    ['failures open a breaker, a success closes it'],
    (deliveries) => ({ settle: (settlement) => deliveries.settle({ ...settlement, verdict: undefined }) }),
  ),
  inDeliveries(
    'webhook: a claim takes all that waits for an endpoint',
    ['an endpoint gets its share'],
    (deliveries) => ({ takeDue: (request) => deliveries.takeDue({ ...request, perRecipient: 100 }) }),
  ),
  inDeliveries('webhook: a retry is made at once', ['a retry waits'], (deliveries) => ({
    settle: (settlement) => deliveries.settle({ ...settlement, delaySeconds: 0 }),
  })),
  inDeliveries(
    'webhook: an attempt is not counted',
    ['each attempt is counted'],
    (deliveries, { tables }) => ({
      takeDue: async (request) => {
        const taken = await deliveries.takeDue(request)
        for (const { id } of taken) {
          const row = tables.deliveries.get(id)
          if (row !== undefined) tables.deliveries.put(id, { ...row, attempts: row.attempts - 1 })
        }
        return taken
      },
    }),
  ),
  inDeliveries(
    'webhook: what is due expires',
    ['no message is given up early'],
    (deliveries, { tables }) => ({
      expire: (kind) => {
        for (const each of tables.deliveries.all())
          if (each.attempts > 0) tables.deliveries.put(each.id, { ...each, spentAt: each.dueAt })
        return deliveries.expire(kind)
      },
    }),
  ),
  inDeliveries(
    'webhook: a success is acknowledged and not recorded',
    ['what has arrived is not sent again'],
    (deliveries, { tables }) => ({
      settle: async (settlement) => {
        const row = tables.deliveries.get(settlement.id)
        const isHeld = await deliveries.settle(settlement)
        if (isHeld && settlement.state === 'sent' && row?.kind === 'endpoint')
          tables.deliveries.put(row.id, row)
        return isHeld
      },
    }),
  ),
  inDeliveries(
    'webhook: a message has two deliveries to an endpoint',
    ['what has arrived is not sent again'],
    (deliveries, { tables }) => ({
      settle: (settlement) => {
        const row = tables.deliveries.get(settlement.id)
        const twin = `${settlement.id}twin`
        if (row?.kind === 'endpoint' && !row.id.endsWith('twin') && tables.deliveries.get(twin) === undefined)
          tables.deliveries.put(twin, {
            ...row,
            id: twin,
            attempts: 0,
            leaseToken: undefined,
            leaseUntil: undefined,
          })
        return deliveries.settle(settlement)
      },
    }),
  ),
  planted(
    'webhook: a message is written without its delivery',
    ['a message has a delivery for each endpoint'],
    ({ jobs }, { tables }) => ({
      jobs: {
        ...jobs,
        report: async (write) => {
          const before = new Set(tables.deliveries.all().map(({ id }) => id))
          const done = await jobs.report(write)
          for (const { id } of tables.deliveries.all())
            if (!before.has(id)) tables.deliveries.put(id, undefined)
          return done
        },
      },
    }),
  ),
  planted(
    'webhook: the end of a job whose host is lost is not told',
    ['what happens to a job is told once'],
    ({ jobs }, { tables }) => ({
      jobs: {
        ...jobs,
        sweep: async (...args) => {
          const messages = tables.of<{ readonly id: string }>('webhookMessages')
          const before = new Set(messages.all())
          const done = await jobs.sweep(...args)
          for (const each of messages.all()) if (!before.has(each)) messages.put(each.id, undefined)
          return done
        },
      },
    }),
  ),
]
