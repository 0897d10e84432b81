import type { Licenses } from '../../people/licenses/licenses.ts'
import type { Base } from '../../platform/base.ts'
import { DeliveryRunner } from '../../platform/deliveries/delivery-runner.ts'
import type { DnsClient } from '../../platform/dns/dns-client.ts'
import { featureOf } from '../../platform/feature.ts'
import type { Operation } from '../../platform/operations/operation.ts'
import { silent } from '../../platform/scheduler/scheduled-task.ts'
import { type EmailDomainUses, emailDomainOperations } from './domains/email-domain-operations.ts'
import { EmailDomains } from './domains/email-domains.ts'
import { EmailMetrics } from './email-metrics.ts'
import { type EmailQueueUses, emailQueueOperations } from './email-queue-operations.ts'
import { Emails } from './emails.ts'
import { type EmailKeyUses, emailKeyOperations } from './keys/email-key-operations.ts'
import { EmailKeys } from './keys/email-keys.ts'
import { type ReminderUses, reminderOperations } from './reminders/reminder-operations.ts'
import { Reminders, unwantedReminder } from './reminders/reminders.ts'
import { EmailSending } from './sending/email-sending.ts'
import * as settings from './settings.ts'
import { EmailDelivery } from './smtp/email-delivery.ts'
import type { MailRelay } from './smtp/mail-relay.ts'

const DOMAINS_MS = 15_000
const DELIVERY_MS = 20_000
/** Steps are days: ten minutes late is in time. */
const REMINDER_SECONDS = 600

/** The tools and services that email uses. */
export interface EmailNeeds {
  readonly outside: { readonly mailRelay: MailRelay }
  readonly dns: DnsClient
  readonly licenses: Licenses
}
/** The services of email. */
export interface EmailServices {
  readonly emailDomains: EmailDomains
  readonly emailKeys: EmailKeys
  readonly emails: Emails
  readonly reminders: Reminders
}

const operations: readonly Operation<EmailDomainUses & EmailKeyUses & EmailQueueUses & ReminderUses>[] = [
  ...emailDomainOperations,
  ...emailKeyOperations,
  ...emailQueueOperations,
  ...reminderOperations,
]

/** Email: domains, sending keys, messages and their delivery, reminders. */
export const email = featureOf<EmailNeeds>()({
  settings,
  sql: () => import('./email-sql.ts'),
  services: servicesOf,
  operations,
  events: ['email.sent', 'email.failed', 'email.domain.verified', 'email.domain.failed'],
  tasks: ({ emailDomains, emails, reminders }) => [
    { name: 'email-domains', budgetMs: DOMAINS_MS, run: silent((signal) => emailDomains.checkDue(signal)) },
    {
      name: 'email-reminders',
      everySeconds: REMINDER_SECONDS,
      budgetMs: DELIVERY_MS,
      run: silent(async (signal) => {
        if (await reminders.isReady()) await reminders.run({ signal })
      }),
    },
    { name: 'email-delivery', budgetMs: DELIVERY_MS, run: silent((signal) => emails.deliver(signal)) },
  ],
  purge: async ({ emailKeys, emails, reminders }) => {
    await reminders.purge()
    await emailKeys.purge()
    await emails.purge()
  },
})

function servicesOf(base: Base, { outside, dns, licenses }: EmailNeeds): EmailServices {
  const metrics = new EmailMetrics(base.metrics)
  const emailDomains = new EmailDomains({ ...base, dns })
  const sending = new EmailSending({ ...base, metrics })
  const relay = outside.mailRelay
  const delivery = new EmailDelivery({ ...base, metrics, relay, licenses, unwanted: unwantedReminder })
  const runner = new DeliveryRunner(base, delivery)
  const emails = new Emails({ ...base, sending, runner, relay })
  return {
    emailDomains,
    emailKeys: new EmailKeys({ ...base, licenses, domains: emailDomains }),
    emails,
    reminders: new Reminders({ ...base, sending, deliver: (signal) => emails.deliver(signal) }),
  }
}
