import type { Config } from '../config/config.ts'
import type { ScheduledTask } from '../scheduler/scheduled-task.ts'
import type { Services } from './features.ts'

const MONITORS_MS = 15_000
const EMAIL_DOMAINS_MS = 15_000
/** Proofs that are not looked up in this time wait for the next tick. */
const SURFACE_MS = 10_000
const EMAIL_DELIVERY_MS = 20_000
const PAYMENT_EVENTS_MS = 20_000
/** Steps are days: ten minutes late is in time. */
const REMINDER_SECONDS = 600
const PROVISIONING_MS = 20_000
/** Old rows may be kept for up to an hour longer. */
const RETENTION_SECONDS = 3600

/** Returns the tasks of a tick, in order. Monitors are left out if their settings are bad. */
export const tickTasks = (services: Services, { faults }: Config): readonly ScheduledTask[] =>
  everyTask(services).filter(({ name }) => name !== 'monitors' || faults.monitors === undefined)

/** Work of which the result of the tick says nothing. */
const silent = (work: (signal: AbortSignal) => Promise<unknown>) => async (signal: AbortSignal) => {
  await work(signal)
  return undefined
}

const everyTask = ({
  access,
  alerts,
  apiTokens,
  browserTokens,
  chat,
  emailDomains,
  emailKeys,
  emails,
  images,
  gitHooks,
  jobs,
  licenseDeeds,
  monitors,
  paymentEvents,
  reminders,
  provisioning,
  sessions,
  surface,
  transferKeys,
  webhookDeliveries,
}: Services): readonly ScheduledTask[] => [
  {
    name: 'monitors',
    essential: true,
    budgetMs: MONITORS_MS,
    run: async (signal) => {
      const { ran, changed } = await monitors.runDue(signal)
      return { ran, changed }
    },
  },
  { name: 'alerts', run: async (signal) => ({ alerted: (await alerts.evaluate(signal)).drifts }) },
  {
    name: 'alert-delivery',
    run: silent((signal) => alerts.deliver(signal)),
  },
  {
    name: 'webhooks',
    run: silent((signal) => webhookDeliveries.drain(signal)),
  },
  {
    name: 'email-domains',
    budgetMs: EMAIL_DOMAINS_MS,
    run: silent((signal) => emailDomains.checkDue(signal)),
  },
  {
    name: 'email-reminders',
    everySeconds: REMINDER_SECONDS,
    budgetMs: EMAIL_DELIVERY_MS,
    run: async (signal) => {
      if (await reminders.isReady()) await reminders.run({ signal })
      return undefined
    },
  },
  {
    name: 'email-delivery',
    budgetMs: EMAIL_DELIVERY_MS,
    run: silent((signal) => emails.deliver(signal)),
  },
  {
    name: 'attack-surface',
    budgetMs: SURFACE_MS,
    run: silent((signal) => surface.runDue(signal)),
  },
  {
    name: 'payment-events',
    budgetMs: PAYMENT_EVENTS_MS,
    run: silent((signal) => paymentEvents.drain(signal)),
  },
  { name: 'chat-purge', run: async (signal) => ({ purgedChats: await chat.purge(signal) }) },
  {
    name: 'jobs',
    run: silent(() => jobs.sweep()),
  },
  {
    name: 'access',
    run: silent(() => access.sweep()),
  },
  {
    name: 'provisioning',
    budgetMs: PROVISIONING_MS,
    run: silent((signal) => provisioning.tick(signal)),
  },
  {
    name: 'retention',
    everySeconds: RETENTION_SECONDS,
    run: async () => {
      await alerts.purge()
      await reminders.purge()
      await sessions.purge()
      await licenseDeeds.purge()
      await apiTokens.purge()
      await browserTokens.purge()
      await emailKeys.purge()
      await emails.purge()
      await webhookDeliveries.purge()
      await images.purge()
      await transferKeys.purge()
      await gitHooks.purge()
      await surface.purge()
      await paymentEvents.purge()
      return undefined
    },
  },
]
