import { inTime } from '../../../kernel/race.ts'
import type { Timers } from '../../../kernel/timers.ts'
import { MAX_ANSWER_CHARS } from './answer-filter.ts'
import { type LanguageModel, ModelFailure, type ModelPrompt } from './language-model.ts'

/** Longest wait for the first words, in milliseconds (docs/chat.md). */
export const FIRST_WORDS_MS = 10_000
/** Longest wait for the next words, in milliseconds. */
const NEXT_WORDS_MS = 10_000
/** Longest duration of an answer, in milliseconds. */
const WHOLE_ANSWER_MS = 60_000
/**
 * Milliseconds between callers' checks for a takeover while the model thinks: twice within the second that a
 * takeover may take to apply.
 */
export const LOOK_UP_MS = 500

/** A question to a model, with its bounds. */
export interface Question {
  readonly model: LanguageModel
  readonly prompt: ModelPrompt
  readonly timers: Timers
  /** Aborted when the visitor leaves. */
  readonly signal: AbortSignal
}

/**
 * Yields the model's answer as it arrives, with `undefined` in between at least every half second. However
 * the iteration ends, the call to the model ends with it.
 * @throws ModelFailure, `slow` when the model takes too long; any error once `signal` is aborted
 */
export async function* patientAnswer(question: Question): AsyncGenerator<string | undefined> {
  const { model, prompt, timers, signal } = question
  const ending = new AbortController()
  const parts = model.answer(prompt, AbortSignal.any([signal, ending.signal]))[Symbol.asyncIterator]()
  const start = timers.elapsedMs()
  let deadline = start + FIRST_WORDS_MS
  let chars = 0
  try {
    for (let next = asked(parts); ; ) {
      const part = await inTime(
        timers,
        Math.max(0, Math.min(LOOK_UP_MS, deadline - timers.elapsedMs())),
        () => next,
        undefined,
      )
      if (part?.done) return
      if (part !== undefined && part.value !== '') {
        chars += part.value.length
        if (chars > MAX_ANSWER_CHARS) throw new ModelFailure('unreadable')
        deadline = Math.min(timers.elapsedMs() + NEXT_WORDS_MS, start + WHOLE_ANSWER_MS)
      }
      if (timers.elapsedMs() >= deadline) throw new ModelFailure('slow')
      if (part !== undefined) next = asked(parts)
      yield part?.value
    }
  } finally {
    ending.abort()
    // Not awaited: a model that ignores the signal must not hold up the visitor.
    parts.return?.()?.catch(() => {})
  }
}

/**
 * Requests the next part. The empty handler keeps a failure that no caller awaits from being an unhandled
 * rejection.
 */
function asked(parts: AsyncIterator<string>): Promise<IteratorResult<string>> {
  const next = parts.next()
  next.catch(() => {})
  return next
}
