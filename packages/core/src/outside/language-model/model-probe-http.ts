import type { Base } from '../../platform/base.ts'
import { operatorOutbound } from '../../platform/net/operator-outbound.ts'
import type { StreamingOutbound } from '../../platform/net/outbound.ts'
import type { OutboundRefusal } from '../../platform/net/outbound-refusal.ts'
import type { ModelProbe, ModelReach } from '../../watch/health/model-probe.ts'
import { DEFAULT_BASE_URL } from './language-model-http.ts'

/** Shorter than the timeout of a check, so that silence is reported as `unreachable`. */
const PROBE_MS = 2500

/** Options of the probe. */
export interface HttpModelProbeParts {
  readonly apiKey: string
  readonly baseUrl?: string | undefined
  /** The guarded client. Default: one for an address that the operator set. */
  readonly outbound?: StreamingOutbound | undefined
}

/** Returns the probe of the settings; undefined without a key. */
export const modelProbeOf = ({ config: { llm }, log }: Base): ModelProbe | undefined =>
  llm.apiKey === undefined
    ? undefined
    : httpModelProbe({ apiKey: llm.apiKey, baseUrl: llm.baseUrl, outbound: operatorOutbound({ log }) })

/**
 * Returns a probe that requests the list of models from an OpenAI-compatible service: it is free, and needs
 * the key as questions do.
 */
export const httpModelProbe = ({
  apiKey,
  baseUrl = DEFAULT_BASE_URL,
  outbound = operatorOutbound(),
}: HttpModelProbeParts): ModelProbe => ({
  reach: async (signal) => {
    const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json' }
    const url = `${baseUrl.replace(/(?<!\/)\/+$/, '')}/models`
    const answer = await outbound.stream(url, { headers, signal, plainHttp: true, timeoutMs: PROBE_MS })
    if (!answer.ok) return REACH_OF_REFUSAL[answer.refusal] ?? 'unreachable'
    // The list may be long and is not read.
    await answer[Symbol.asyncDispose]()
    return reachOf(answer.status)
  },
})

/** Results for refusals that point to a wrong setting. All other refusals mean `unreachable`. */
const REACH_OF_REFUSAL: Partial<Record<OutboundRefusal, ModelReach>> = {
  'bad-url': 'address-refused',
  scheme: 'address-refused',
  credentials: 'address-refused',
  port: 'address-refused',
  'not-public': 'address-refused',
  unresolved: 'unresolved',
  tls: 'not-trusted',
  protocol: 'unexpected-answer',
  redirect: 'unexpected-answer',
  'too-large': 'unexpected-answer',
}

function reachOf(status: number): ModelReach {
  if (status === 401 || status === 403) return 'refused'
  if (status === 429 || status === 503) return 'busy'
  // Some model servers have no list of models, but work nevertheless.
  return (status >= 200 && status < 300) || status === 404 || status === 405 ? 'ready' : 'unexpected-answer'
}
