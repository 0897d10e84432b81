import type { OutboundRequest } from '@svc/core/ports'
import type { StreamingOutbound } from '../../packages/core/src/platform/net/outbound.ts'

/**
 * An outgoing client over `fetch`, which nock plays. The guarded client brings connections of its own, which
 * nock does not see; its suites have real listeners (`packages/core/test/platform/net`).
 */
export function playedOutbound(): StreamingOutbound {
  const asked = async (url: string, { method = 'GET', headers, body, signal }: OutboundRequest = {}) => {
    const sent = typeof body === 'string' || body === undefined ? body : Buffer.from(body)
    const init = { method, headers, body: sent, signal, redirect: 'manual' } as RequestInit
    const answer = await fetch(url, init)
    const bytes = new Uint8Array(await answer.arrayBuffer())
    return { ok: true, status: answer.status, headers: answer.headers, bytes } as const
  }
  return {
    request: async (url, request) => {
      const { bytes, ...head } = await asked(url, request)
      return { ...head, body: bytes }
    },
    stream: async (url, request) => {
      const { bytes, ...head } = await asked(url, request)
      const body = (async function* () {
        yield bytes
      })()
      return { ...head, body, [Symbol.asyncDispose]: async () => {} }
    },
    [Symbol.asyncDispose]: async () => {},
  }
}
