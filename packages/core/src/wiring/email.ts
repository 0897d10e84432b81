import type { ControlPlaneParts } from '../control-plane.ts'
import { DeliveryRunner } from '../deliveries/delivery-runner.ts'
import { EmailDelivery } from '../email/delivery/email-delivery.ts'
import type { MailRelay } from '../email/delivery/mail-relay.ts'
import { SmtpRelay } from '../email/delivery/mail-relay-smtp.ts'
import { EmailDomains } from '../email/domains/email-domains.ts'
import { EmailMetrics } from '../email/email-metrics.ts'
import { Emails } from '../email/emails.ts'
import { EmailKeys } from '../email/keys/email-keys.ts'
import { Reminders, unwantedReminder } from '../email/reminders/reminders.ts'
import { EmailSending } from '../email/sending/email-sending.ts'
import type { Licenses } from '../licenses/licenses.ts'
import type { DnsClient } from '../monitors/dns-client.ts'
import type { Base } from './base.ts'

/** Parts of email that belong to other features. */
export interface EmailSources {
  readonly dns: DnsClient
  readonly licenses: Licenses
}

/** Wires email: domains, sending keys, messages and their delivery. */
export function emailOf(base: Base, parts: ControlPlaneParts, { dns, licenses }: EmailSources) {
  const metrics = new EmailMetrics(base.metrics)
  const emailDomains = new EmailDomains({ ...base, dns })
  const sending = new EmailSending({ ...base, metrics })
  const relay = parts.mailRelay ?? relayOf(base)
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

/** Without an address nothing is queued, so that nothing asks this relay. */
const relayOf = ({ config: { email } }: Base): MailRelay =>
  new SmtpRelay({ url: email.smtpUrl ?? 'smtp://unset.invalid', plaintext: email.smtpPlaintext })
