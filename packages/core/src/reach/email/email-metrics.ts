import type { Metrics } from '../../platform/metrics/metrics.ts'
import {
  type EmailRecipientState,
  MESSAGE_KINDS,
  type MessageKind,
  RECIPIENT_STATES,
} from './sending/email-message.ts'
import { RELAY_FAULTS, type RelayFault } from './smtp/mail-relay.ts'

/** Counters of messages and of outcomes for their recipients. */
export class EmailMetrics {
  readonly #queued
  readonly #recipients
  readonly #faults

  constructor(metrics: Metrics) {
    const queued = 'Messages that this replica queued.'
    this.#queued = metrics.counter('svc_email_messages_total', queued, { kind: MESSAGE_KINDS })
    const recipients = 'Recipients by the result of an attempt of this replica.'
    this.#recipients = metrics.counter('svc_email_recipients_total', recipients, { state: RECIPIENT_STATES })
    const faults = 'Attempts that failed before the mail relay said a word on the message.'
    this.#faults = metrics.counter('svc_email_relay_faults_total', faults, { fault: RELAY_FAULTS })
  }

  queued(kind: MessageKind): void {
    this.#queued.inc({ kind })
  }

  recipient(state: EmailRecipientState): void {
    this.#recipients.inc({ state })
  }

  relayFault(fault: RelayFault): void {
    this.#faults.inc({ fault })
  }
}
