import { cut } from '../../kernel/cut.ts'
import { redact } from '../../kernel/redaction/redactor.ts'
import type { Outbound } from '../net/outbound.ts'
import { webhookHeaders } from '../signing/webhook-signature.ts'
import type { DeliveryOutcome } from './delivery.ts'
import type { WebhookChannel, WebhookMessage } from './webhook-channel.ts'

/** Timeout and size limit for the answer of a webhook. */
const ANSWER_MS = 10_000
const ANSWER_BYTES = 65_536
const GONE = 410

const SHOWN_CHARS = 1024
/** Characters that are read for those that are shown: redaction needs to see where a secret ends. */
const READ_BYTES = 4 * SHOWN_CHARS

/** Returns the beginning of an answer without control characters and secrets. */
function textOf(body: Uint8Array): string {
  const text = Buffer.from(body.subarray(0, READ_BYTES)).toString('utf8')
  return cut(redact(text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ')), SHOWN_CHARS)
}

/** Webhooks over the guarded client. It follows no redirects. */
export class HttpWebhookChannel implements WebhookChannel {
  readonly #outbound: Outbound
  readonly #plainHttp: boolean

  constructor(outbound: Outbound, options: { readonly plainHttp: boolean }) {
    this.#outbound = outbound
    this.#plainHttp = options.plainHttp
  }

  async send(message: WebhookMessage): Promise<DeliveryOutcome> {
    const { id, at, body, url, secrets, signal, timeoutMs = ANSWER_MS } = message
    const answer = await this.#outbound.request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'svc-webhooks/1',
        ...webhookHeaders({ id, at, body, secrets }),
      },
      body,
      plainHttp: this.#plainHttp,
      timeoutMs,
      maxBytes: ANSWER_BYTES,
      ...(signal === undefined ? {} : { signal }),
    })
    if (!answer.ok) return { delivered: false, status: undefined, error: answer.refusal, isFinal: false }
    const { status } = answer
    const delivered = status >= 200 && status < 300
    const error = delivered ? undefined : 'status'
    const retryAfter = answer.headers.get('retry-after') ?? undefined
    const response = textOf(answer.body)
    return { delivered, status, error, isFinal: status === GONE, retryAfter, response }
  }
}
