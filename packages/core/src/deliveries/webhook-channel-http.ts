import type { Outbound } from '../net/outbound.ts'
import { webhookHeaders } from '../signing/webhook-signature.ts'
import type { DeliveryOutcome } from './delivery.ts'
import type { WebhookChannel, WebhookMessage } from './webhook-channel.ts'

/** Timeout and size limit for the answer of a webhook. */
const ANSWER_MS = 10_000
const ANSWER_BYTES = 65_536
const GONE = 410

/** Webhooks over the guarded client. It follows no redirects, and ignores the body of the answer. */
export class HttpWebhookChannel implements WebhookChannel {
  readonly #outbound: Outbound
  readonly #plainHttp: boolean

  constructor(outbound: Outbound, options: { readonly plainHttp: boolean }) {
    this.#outbound = outbound
    this.#plainHttp = options.plainHttp
  }

  async send({ id, at, body, url, secret, signal }: WebhookMessage): Promise<DeliveryOutcome> {
    const answer = await this.#outbound.request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'svc-webhooks/1',
        ...webhookHeaders({ id, at, body, secret }),
      },
      body,
      plainHttp: this.#plainHttp,
      timeoutMs: ANSWER_MS,
      maxBytes: ANSWER_BYTES,
      ...(signal === undefined ? {} : { signal }),
    })
    if (!answer.ok) return { delivered: false, status: undefined, error: answer.refusal, isFinal: false }
    const { status } = answer
    const delivered = status >= 200 && status < 300
    return { delivered, status, error: delivered ? undefined : 'status', isFinal: status === GONE }
  }
}
