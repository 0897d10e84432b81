import { ModelFailure, type ModelUsage } from '../../reach/chat/answer/language-model.ts'

/** One event of a streamed completion. */
export interface CompletionPart {
  readonly text: string
  /** `whole`: the answer is complete; `cut`: it ends here, incomplete. */
  readonly end?: 'whole' | 'cut'
  /** Tokens of the question and its answer. */
  readonly usage?: ModelUsage
}

const LAST_EVENT = '[DONE]'

/**
 * Parses the data of one event. Unknown data gives an empty part.
 * @throws ModelFailure `unreadable` for data that is no event of a completion, `refused` for an event that
 * reports an error
 */
export function completionPart(data: string): CompletionPart {
  if (data.trim() === LAST_EVENT) return { text: '', end: 'whole' }
  const event = objectOf(data)
  if (event.error !== undefined && event.error !== null) throw new ModelFailure('refused')
  if (!Array.isArray(event.choices)) throw new ModelFailure('unreadable')
  const [choice] = event.choices as readonly unknown[]
  if (choice === undefined) return { text: '', ...usageOf(event.usage) }
  const { delta, finish_reason: reason } = (choice ?? {}) as { delta?: unknown; finish_reason?: unknown }
  const { content } = (delta ?? {}) as { content?: unknown }
  if (content !== undefined && content !== null && typeof content !== 'string')
    throw new ModelFailure('unreadable')
  const text = content ?? ''
  if (typeof reason !== 'string') return { text }
  return { text, end: reason === 'stop' ? 'whole' : 'cut' }
}

function usageOf(given: unknown): { readonly usage?: ModelUsage } {
  const { prompt_tokens: input, completion_tokens: output } = (given ?? {}) as Record<string, unknown>
  return isCount(input) && isCount(output) ? { usage: { input, output } } : {}
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

function objectOf(data: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    throw new ModelFailure('unreadable')
  }
  if (typeof value !== 'object' || value === null) throw new ModelFailure('unreadable')
  return value as Readonly<Record<string, unknown>>
}
