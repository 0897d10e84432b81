/** One turn of what a model is shown. */
export interface ModelTurn {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** What a model is asked. */
export interface ModelPrompt {
  readonly turns: readonly ModelTurn[]
  /** Tokens of the answer at most. */
  readonly maxTokens: number
}

/** Why a model did not answer, or broke off. */
export const MODEL_FAILURES = [
  /** The service refused, or could not be reached. */
  'refused',
  /** It said to come back later. */
  'busy',
  /** It took too long. */
  'slow',
  /** It said something that is no answer. */
  'unreadable',
  /** It stopped in the middle. */
  'broken-off',
] as const
export type ModelFailureReason = (typeof MODEL_FAILURES)[number]

/** A model's failure. Says nothing of what was asked. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'
  readonly reason: ModelFailureReason

  constructor(reason: ModelFailureReason, options?: { cause?: unknown }) {
    super(`the language model failed: ${reason}`, options)
    this.reason = reason
  }
}

/** A language model. */
export interface LanguageModel {
  /**
   * The answer as it comes, in parts of any length. Ending the iteration, or aborting `signal`, ends the
   * call.
   * @throws ModelFailure, or anything once `signal` is aborted
   */
  answer(prompt: ModelPrompt, signal: AbortSignal): AsyncIterable<string>
}
