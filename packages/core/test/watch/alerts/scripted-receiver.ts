import type { Outbound } from '@svc/core'
import type { OutboundAnswer } from '@svc/core/ports'

interface Digest {
  readonly data: { readonly alerts: readonly { readonly transition: string; readonly alert: Announced }[] }
}

/** Fields of an alert that tell a receiver its openings apart. */
interface Announced {
  readonly id: string
  readonly count: number
}

/** A receiver that accepts messages while `isUp`, and the accepted messages in order. */
export class ScriptedReceiver implements Outbound {
  isUp = true
  readonly taken: { readonly transition: string; readonly alert: Announced }[] = []

  async request(_url: string, request?: { readonly body?: string | Uint8Array }): Promise<OutboundAnswer> {
    if (!this.isUp) return { ok: false, refusal: 'connect' }
    this.taken.push(...(JSON.parse(String(request?.body)) as Digest).data.alerts)
    return { ok: true, status: 204, headers: new Headers(), body: new Uint8Array() }
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
