import { Problem } from '../../../kernel/problem.ts'
import { PLATFORM, type Scope } from '../../../kernel/scope.ts'
import type { Base } from '../../../platform/base.ts'
import type { EmailSending } from '../../../reach/email/sending/email-sending.ts'
import { addressOf, readMailbox } from '../../../reach/email/sending/mailbox.ts'
import type { AlertMailboxes as Mailboxes } from './alert-deliveries-store.ts'

/** Dependencies of `AlertMailboxes`. */
export interface AlertMailboxesParts extends Pick<Base, 'storage' | 'clock'> {
  readonly mail: EmailSending
}

/** Most addresses of one tenant. */
export const MAX_ALERT_ADDRESSES = 20

/**
 * Mail addresses for alerts: a list for each tenant, and one (`tenantId` is `''`) for alerts without a
 * tenant.
 */
export class AlertMailboxes {
  readonly #parts: AlertMailboxesParts

  constructor(parts: AlertMailboxesParts) {
    this.#parts = parts
  }

  /**
   * Sets the addresses of a tenant in place of those it had.
   * @throws Problem `invalid-input` for anything but a mailbox, `email-not-configured` without a relay
   */
  async set(tenantId: string, given: readonly string[]): Promise<Mailboxes> {
    const { storage, clock, mail } = this.#parts
    mail.requireOpen()
    const faults = given.length === 0 ? ['to: expected at least one mailbox'] : []
    const addresses = given.flatMap((text, at) => {
      const mailbox = readMailbox(text)
      if (mailbox === undefined) faults.push(`to.${at}: expected exactly one mailbox`)
      return mailbox === undefined ? [] : [addressOf(mailbox)]
    })
    if (faults.length > 0) throw new Problem('invalid-input', { details: faults.slice(0, 12) })
    const set = { tenantId, addresses: [...new Set(addresses)] }
    return storage.alertDeliveries.setMailboxes(set, clock.statementTime())
  }

  list(scope: Scope): Promise<readonly Mailboxes[]> {
    return this.#parts.storage.alertDeliveries.mailboxes(scope)
  }

  /** @throws Problem `not-found` */
  async remove(tenantId: string): Promise<void> {
    if (!(await this.#parts.storage.alertDeliveries.removeMailboxes(tenantId))) throw unset()
  }

  /**
   * Queues a test message. Returns its id.
   * @throws Problem `not-found` without addresses, and the problems that keep messages from being sent:
   * `email-not-configured`, `sending-domain-unverified`, `all-suppressed`
   */
  async test(tenantId: string): Promise<string> {
    const { storage, mail } = this.#parts
    const found = (await this.list(PLATFORM)).find((each) => each.tenantId === tenantId)
    if (found === undefined) throw unset()
    const subject = '[svc] test of the addresses for alerts'
    const text = 'Alerts of this control plane are sent to this address.\n'
    const message = await mail.prepareSystem({ to: found.addresses, subject, text })
    return storage.transaction((stores) => mail.sendSystem(stores, message))
  }
}

const unset = () => new Problem('not-found', { detail: 'no address is set: svc alerts mail-set sets some' })
