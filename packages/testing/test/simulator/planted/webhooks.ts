import type { Stores } from '@svc/core/ports'
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
]
