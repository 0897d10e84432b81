import { DEFAULT_BASE_URL } from '../chat/language-model-http.ts'
import type { ModelProbe, ModelReach } from './model-probe.ts'

/** Shorter than a check may take, so that silence is told as such. */
const PROBE_MS = 2500

/** How the service of the model is reached. */
export interface HttpModelProbeParts {
  readonly apiKey: string
  readonly baseUrl?: string | undefined
}

/** Asks an OpenAI-compatible service for its list of models: it costs nothing, and needs the key as questions do. */
export const httpModelProbe = ({ apiKey, baseUrl = DEFAULT_BASE_URL }: HttpModelProbeParts): ModelProbe => ({
  reach: async (signal) => {
    const { Agent, request } = await import('undici')
    // A connection of its own that is gone afterwards: the next look is to find out anew.
    const dispatcher = new Agent({ connect: { timeout: PROBE_MS }, headersTimeout: PROBE_MS })
    try {
      const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json' }
      const url = `${baseUrl.replace(/\/+$/, '')}/models`
      const { statusCode, body } = await request(url, { headers, signal, dispatcher })
      body.on('error', () => {}).destroy()
      return reachOf(statusCode)
    } catch {
      return 'unreachable'
    } finally {
      dispatcher.destroy().catch(() => {})
    }
  },
})

function reachOf(status: number): ModelReach {
  if (status === 401 || status === 403) return 'refused'
  if (status === 429 || status === 503) return 'busy'
  // Some servers of models have no list of them: they are there all the same.
  return (status >= 200 && status < 300) || status === 404 || status === 405 ? 'ready' : 'unexpected-answer'
}
