import type { Timers } from '../timers.ts'
import { MAX_ANSWER_CHARS } from './answer-filter.ts'
import { type LanguageModel, ModelFailure, type ModelPrompt } from './language-model.ts'

/** How long the first words may take, in milliseconds (wire: Chat). */
export const FIRST_WORDS_MS = 10_000
/** How long the next words may take. */
const NEXT_WORDS_MS = 10_000
/** How long the whole answer may take. */
const WHOLE_ANSWER_MS = 60_000
/**
 * How often a caller gets to look up while the model thinks: twice within the second that a takeover may
 * take.
 */
export const LOOK_UP_MS = 500

/** A question to a model, and what bounds it. */
export interface Question {
  readonly model: LanguageModel
  readonly prompt: ModelPrompt
  readonly timers: Timers
  /** The visitor's presence. */
  readonly signal: AbortSignal
}

/**
 * The model's answer as it comes, with `undefined` in between at least every half second. However the
 * iteration ends, the call to the model ends with it.
 * @throws ModelFailure, `slow` when the model takes too long, or anything once `signal` is aborted
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
      const part = await withinTime(next, timers, Math.min(LOOK_UP_MS, deadline - timers.elapsedMs()))
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
    // Not waited for: a model that does not listen must not hold up the visitor.
    parts.return?.()?.catch(() => {})
  }
}

/**
 * The next part, asked for ahead: a caller who never looks at it again does not leave its failure unheard.
 */
function asked(parts: AsyncIterator<string>): Promise<IteratorResult<string>> {
  const next = parts.next()
  next.catch(() => {})
  return next
}

/** What `work` brings, or undefined when it takes longer. */
async function withinTime<T>(work: Promise<T>, timers: Timers, ms: number): Promise<T | undefined> {
  const done = new AbortController()
  try {
    return await Promise.race([work, timers.pause(Math.max(0, ms), done.signal).then(() => undefined)])
  } finally {
    done.abort()
  }
}
