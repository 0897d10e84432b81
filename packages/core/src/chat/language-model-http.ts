import type { Agent } from 'undici'
import { type CompletionPart, completionPart } from './completion-part.ts'
import { eventData } from './event-data.ts'
import { type LanguageModel, ModelFailure, type ModelPrompt } from './language-model.ts'

/** Where an OpenAI-compatible API is when nobody says otherwise. */
export const DEFAULT_BASE_URL = 'https://api.openai.com/v1'
/** A small model that most accounts may use. */
export const DEFAULT_MODEL = 'gpt-4o-mini'

const CONNECT_MS = 5000
const MAX_CONNECTIONS = 64
/** Answers are to stay close to the excerpts. */
const TEMPERATURE = 0.2

/** How the model is reached. */
export interface HttpModelParts {
  readonly apiKey: string
  readonly baseUrl?: string | undefined
  readonly model?: string | undefined
}

/** A model behind OpenAI's chat completions, streamed. How long it may take is the caller's affair. */
export class HttpLanguageModel implements LanguageModel {
  readonly #parts: HttpModelParts
  #agent: Agent | undefined

  constructor(parts: HttpModelParts) {
    this.#parts = parts
  }

  async *answer(prompt: ModelPrompt, signal: AbortSignal): AsyncGenerator<string> {
    const body = await this.#send(prompt, signal)
    try {
      for await (const part of partsOf(body)) {
        if (part.text !== '') yield part.text
        if (part.end === 'cut') throw new ModelFailure('broken-off')
        if (part.end === 'whole') return
      }
    } catch (cause) {
      if (cause instanceof ModelFailure || signal.aborted) throw cause
      throw new ModelFailure('broken-off', { cause })
    } finally {
      body.destroy()
    }
    throw new ModelFailure('broken-off')
  }

  async #send({ turns, maxTokens }: ModelPrompt, signal: AbortSignal) {
    const { apiKey, baseUrl = DEFAULT_BASE_URL, model = DEFAULT_MODEL } = this.#parts
    const asked = { model, messages: turns, max_tokens: maxTokens, temperature: TEMPERATURE, stream: true }
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    }
    // Loaded with the first question: commands that ask none start without it.
    const { Agent, request } = await import('undici')
    const limits = { connections: MAX_CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 }
    this.#agent ??= new Agent({ ...limits, connect: { timeout: CONNECT_MS } })
    const url = `${baseUrl.replace(/\/+$/, '')}/chat/completions`
    const options = { method: 'POST', headers, body: JSON.stringify(asked), signal, dispatcher: this.#agent }
    const answer = await request(url, options).catch((cause: unknown) => {
      if (signal.aborted) throw cause
      throw new ModelFailure('refused', { cause })
    })
    const { statusCode, body } = answer
    // Ending it early is no error of anybody's.
    body.on('error', () => {})
    const type = answer.headers['content-type']
    if (statusCode === 200 && String(type).includes('text/event-stream')) return body
    body.destroy()
    if (statusCode === 200) throw new ModelFailure('unreadable')
    throw new ModelFailure(statusCode === 429 ? 'busy' : 'refused')
  }
}

/** The events of an answer's body. @throws ModelFailure `unreadable` for anything else */
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
