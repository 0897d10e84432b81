import type { Base } from '../../platform/base.ts'
import { operatorOutbound } from '../../platform/net/operator-outbound.ts'
import type { StreamingOutbound } from '../../platform/net/outbound.ts'
import type { OutboundLimits } from '../../platform/net/outbound-request.ts'
import { type LanguageModel, ModelFailure, type ModelPrompt } from '../../reach/chat/answer/language-model.ts'
import { type CompletionPart, completionPart } from './completion-part.ts'
import { eventData } from './event-data.ts'

/** The address of the OpenAI-compatible API unless the settings name another. */
export const DEFAULT_BASE_URL = 'https://api.openai.com/v1'
/** The default model: a small one that most accounts may use. */
export const DEFAULT_MODEL = 'gpt-4o-mini'

/** A low value, which keeps answers close to the excerpts. */
const TEMPERATURE = 0.2

/**
 * Limits on a call, above the deadlines of callers: they end a call that no caller ends. 500 tokens take some
 * 150 KB of events; models that think aloud send a multiple of it.
 */
const MODEL_LIMITS: Partial<OutboundLimits> = {
  answerMs: 15_000,
  idleMs: 15_000,
  totalMs: 90_000,
  maxBytes: 4_194_304,
}

/** Address, credentials and client of a model. */
export interface HttpModelParts {
  readonly apiKey: string
  readonly baseUrl?: string | undefined
  readonly model?: string | undefined
  /** The guarded client; absent: a client for addresses that operators set. */
  readonly outbound?: StreamingOutbound | undefined
}

/** Returns the model of the settings; undefined without a key or with a bad setting. */
export function languageModelOf({ config: { llm, faults }, log }: Base): LanguageModel | undefined {
  const { apiKey } = llm
  if (apiKey === undefined || faults.llm !== undefined) return undefined
  return new HttpLanguageModel({ ...llm, apiKey, outbound: operatorOutbound({ log, limits: MODEL_LIMITS }) })
}

/** A model behind OpenAI's streaming chat completions. Callers decide how long an answer may take. */
export class HttpLanguageModel implements LanguageModel {
  readonly #parts: HttpModelParts
  readonly #outbound: StreamingOutbound

  constructor(parts: HttpModelParts) {
    this.#parts = parts
    this.#outbound = parts.outbound ?? operatorOutbound({ limits: MODEL_LIMITS })
  }

  async *answer(prompt: ModelPrompt, signal: AbortSignal): AsyncGenerator<string> {
    await using answer = await this.#send(prompt, signal)
    let isWhole = false
    try {
      for await (const part of partsOf(answer.body)) {
        if (part.text !== '') yield part.text
        if (part.end === 'cut') throw new ModelFailure('broken-off')
        if (part.usage !== undefined) prompt.onUsage?.(part.usage)
        // The figures come, if at all, after the end of the text and before the end of the events.
        const isLast = isWhole || prompt.onUsage === undefined
        if (part.end === 'whole' && isLast) return
        isWhole ||= part.end === 'whole'
      }
    } catch (cause) {
      if (cause instanceof ModelFailure || signal.aborted) throw cause
      if (!isWhole) throw new ModelFailure('broken-off', { cause })
    }
    if (!isWhole) throw new ModelFailure('broken-off')
  }

  async #send({ turns, maxTokens, onUsage }: ModelPrompt, signal: AbortSignal) {
    const { apiKey, baseUrl = DEFAULT_BASE_URL, model = DEFAULT_MODEL } = this.#parts
    const figures = onUsage === undefined ? {} : { stream_options: { include_usage: true } }
    const settings = { max_tokens: maxTokens, temperature: TEMPERATURE, stream: true, ...figures }
    const asked = { model, messages: turns, ...settings }
    const answer = await this.#outbound.stream(`${baseUrl.replace(/(?<!\/)\/+$/, '')}/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify(asked),
      plainHttp: true,
      signal,
    })
    signal.throwIfAborted()
    if (!answer.ok) throw new ModelFailure('refused', { cause: { code: answer.refusal } })
    const { status, headers } = answer
    if (status === 200 && headers.get('content-type')?.includes('text/event-stream')) return answer
    await answer[Symbol.asyncDispose]()
    if (status === 200) throw new ModelFailure('unreadable')
    throw new ModelFailure(status === 429 ? 'busy' : 'refused')
  }
}

/** Yields the parts of an answer's body. @throws ModelFailure `unreadable` for a body without events */
async function* partsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<CompletionPart> {
  try {
    for await (const data of eventData(textOf(body))) yield completionPart(data)
  } catch (cause) {
    throw cause instanceof RangeError ? new ModelFailure('unreadable', { cause }) : cause
  }
}

async function* textOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const bytes of body) yield decoder.decode(bytes, { stream: true })
}
