import { Problem } from '../../../kernel/problem.ts'
import type { Base } from '../../../platform/base.ts'
import { canonicalDigest, checkIdempotencyKey } from '../../../platform/signing/idempotency-key.ts'
import type { Stores } from '../../../platform/storage/storage.ts'
import { maySend } from '../domains/email-domain.ts'
import type { EmailMetrics } from '../email-metrics.ts'
import type { EmailKey } from '../keys/email-key.ts'
import { emailDelivery } from '../smtp/email-queue.ts'
import type { MessageKind } from './email-message.ts'
import { addressOf } from './mailbox.ts'
import { type MessageDraft, readDraft, type SendFields } from './message-draft.ts'
import { contentsOf, sealBody } from './sealed-body.ts'

/** Dependencies of `EmailSending`. */
export interface EmailSendingParts extends Pick<Base, 'storage' | 'clock' | 'ids' | 'keyring' | 'config'> {
  readonly metrics: EmailMetrics
}

/** A message that somebody sends. */
export interface SendRequest {
  /** Id of the license that sends; `''` for the platform. */
  readonly owner: string
  /** The sending key that it came with. */
  readonly key?: EmailKey | undefined
  readonly fields: SendFields
  /** `Idempotency-Key`, as it was sent. */
  readonly idempotencyKey?: string | undefined
}

/** Answer to a sender: the same again for the same `Idempotency-Key`. */
export interface SendAnswer {
  readonly id: string
  readonly state: 'queued'
  /** Addresses that the message goes to. */
  readonly recipients: number
  /** Addresses that it does not go to, since they bounced before. */
  readonly suppressed: readonly string[]
}

/** A message of the service itself that can be queued. */
export interface SystemMessage {
  readonly domainId: string
  readonly draft: MessageDraft
}

/** A message to queue. */
interface Queued {
  readonly owner: string
  readonly kind: MessageKind
  readonly domainId: string
  readonly keyId: string | undefined
  readonly draft: MessageDraft
}

const DAY_MS = 86_400_000

/** Takes messages: checks them, and queues them with all that follows, in one transaction. */
export class EmailSending {
  readonly #parts: EmailSendingParts

  constructor(parts: EmailSendingParts) {
    this.#parts = parts
  }

  /** Whether there is a relay to send through. */
  get isConfigured(): boolean {
    const { config } = this.#parts
    return config.faults.email === undefined && config.email.smtpUrl !== undefined
  }

  /** @throws Problem `email-not-configured` without a relay */
  requireOpen(): void {
    if (!this.isConfigured) throw new Problem('email-not-configured')
  }

  /**
   * Queues a message.
   * @throws Problem `email-not-configured`, `invalid-input`, `idempotency-mismatch`,
   * `sending-domain-refused`, `sending-domain-unverified`, `all-suppressed`, `email-quota`,
   * `secrets-not-configured`
   */
  async send(request: SendRequest): Promise<SendAnswer> {
    const { clock, metrics } = this.#parts
    this.requireOpen()
    const { owner, key, fields, idempotencyKey } = request
    checkIdempotencyKey(idempotencyKey)
    const draft = readDraft(fields, clock.now())
    const bodyHash = canonicalDigest(fields)
    const earlier = await this.#earlier(owner, idempotencyKey, bodyHash)
    if (earlier !== undefined) return earlier
    const domainId = await this.#domainFor(owner, key, draft)
    const queued = { owner, kind: 'api', domainId, keyId: key?.id, draft } as const
    const answer = await this.#parts.storage
      .transaction(async (stores) => {
        const made = await this.#queue(stores, queued)
        if (idempotencyKey === undefined) return made
        const kept = { owner, key: idempotencyKey, bodyHash, answer: { ...made } }
        // One of several requests at once remembers its answer; the others take their messages back.
        if (await stores.emailMessages.remember(kept, clock.statementTime())) return made
        throw new Repeated()
      })
      .catch(async (error: unknown) => {
        // A request that another one of the same key has overtaken gets that answer, for any reason that
        // stopped it.
        const overtaken = await this.#earlier(owner, idempotencyKey, bodyHash)
        if (overtaken === undefined && !(error instanceof Repeated)) throw error
        return undefined
      })
    const given = answer ?? (await this.#earlier(owner, idempotencyKey, bodyHash))
    if (given === undefined) throw new Problem('unavailable')
    if (answer !== undefined) metrics.queued('api')
    return given
  }

  /** @throws Problem `email-not-configured` without a relay, `EMAIL_SYSTEM_FROM` or its verified domain */
  async requireSystem(): Promise<void> {
    const { storage, config } = this.#parts
    this.requireOpen()
    const name = config.email.systemFrom?.split('@')[1]?.toLowerCase()
    const domain = name === undefined ? undefined : await storage.emailDomains.named('', name)
    if (domain !== undefined && maySend(domain)) return
    throw new Problem('email-not-configured', { detail: 'EMAIL_SYSTEM_FROM needs a verified domain' })
  }

  /**
   * Checks a message of the service itself, which `EMAIL_SYSTEM_FROM` sends.
   * @throws Problem `email-not-configured` without a relay or that setting, `sending-domain-unverified`,
   * `all-suppressed`, `invalid-input`
   */
  async prepareSystem(message: Omit<SendFields, 'from'>): Promise<SystemMessage> {
    const { storage, clock, config } = this.#parts
    this.requireOpen()
    const from = config.email.systemFrom
    if (from === undefined) throw new Problem('email-not-configured')
    const headers = { 'Auto-Submitted': 'auto-generated', ...message.headers }
    const draft = readDraft({ ...message, headers, from }, clock.now())
    const domainId = await this.#domainFor('', undefined, draft)
    const addresses = draft.recipients.map(addressOf)
    const suppressed = await storage.emailSuppressions.among('', addresses, clock.statementTime())
    if (new Set(suppressed).size === addresses.length) throw new Problem('all-suppressed')
    return { domainId, draft }
  }

  /**
   * Queues a message of the service itself, in the transaction of its subject. Returns its id.
   * @throws Problem `all-suppressed` if that has changed since it was prepared
   */
  async sendSystem(stores: Stores, { domainId, draft }: SystemMessage): Promise<string> {
    const queued = { owner: '', kind: 'alert', domainId, keyId: undefined, draft } as const
    const { id } = await this.#queue(stores, queued)
    this.#parts.metrics.queued('alert')
    return id
  }

  async #earlier(owner: string, key: string | undefined, bodyHash: string): Promise<SendAnswer | undefined> {
    if (key === undefined) return undefined
    const { storage, clock } = this.#parts
    const found = await storage.emailMessages.remembered(owner, key, clock.statementTime())
    if (found === undefined) return undefined
    if (found.bodyHash !== bodyHash) throw new Problem('idempotency-mismatch')
    return found.answer as unknown as SendAnswer
  }

  async #domainFor(owner: string, key: EmailKey | undefined, { from }: MessageDraft): Promise<string> {
    const domain = await this.#parts.storage.emailDomains.named(owner, from.domain)
    if (key?.domainId !== undefined && domain?.id !== key.domainId)
      throw new Problem('sending-domain-refused')
    // An unknown domain and an unverified one are the same to a stranger.
    if (domain === undefined || !maySend(domain)) throw new Problem('sending-domain-unverified')
    return domain.id
  }

  async #queue(stores: Stores, { owner, kind, domainId, keyId, draft }: Queued): Promise<SendAnswer> {
    const { clock, ids, keyring, config } = this.#parts
    const now = clock.statementTime()
    const addresses = draft.recipients.map(addressOf)
    const suppressed = new Set(await stores.emailSuppressions.among(owner, addresses, now))
    const isSuppressed = (address: string) => suppressed.has(address.toLowerCase())
    const open = addresses.filter((address) => !isSuppressed(address))
    if (open.length === 0) throw new Problem('all-suppressed')
    const limit = config.email.dailyLimit
    if (kind === 'api' && !(await stores.emailMessages.spend(owner, open.length, limit, now)))
      throw new Problem('email-quota', { retryAfterSeconds: secondsToMidnight(clock.now()) })
    const id = ids.next('em')
    const recipients = draft.recipients.map((mailbox) => {
      const address = addressOf(mailbox)
      return { address, role: mailbox.role, state: isSuppressed(address) ? 'suppressed' : 'queued' } as const
    })
    const body = sealBody(keyring, id, contentsOf(draft))
    const message = { id, owner, kind, domainId, keyId, from: addressOf(draft.from), tags: draft.tags }
    await stores.emailMessages.add({ ...message, recipients, body }, now)
    const delaySeconds = draft.sendAt && Math.max(0, (draft.sendAt.getTime() - clock.now().getTime()) / 1000)
    const delivery = { ...emailDelivery(ids.next('dlv'), id, config.email), delaySeconds }
    await stores.deliveries.add(delivery, now)
    return { id, state: 'queued', recipients: open.length, suppressed: addresses.filter(isSuppressed) }
  }
}

/** Undoes the transaction of a request that another one of the same key has overtaken. */
class Repeated extends Error {}

const secondsToMidnight = (now: Date): number => Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1000)
