/** One turn of the conversation that a model is shown. */
export interface ModelTurn {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** A question to a model. */
export interface ModelPrompt {
  readonly turns: readonly ModelTurn[]
  /** Most tokens of the answer. */
  readonly maxTokens: number
  /** Called once with the tokens that the model says it used, if it says so. */
  readonly onUsage?: (usage: ModelUsage) => void
}

/** Tokens of one question and its answer, as the model counts them. */
export interface ModelUsage {
  readonly input: number
  readonly output: number
}

/** Reasons why a model did not answer, or broke off. */
export const MODEL_FAILURES = [
  /** The service refused, or could not be reached. */
  'refused',
  /** The service was busy and asked for a later retry. */
  'busy',
  /** The answer took too long. */
  'slow',
  /** The answer cannot be read. */
  'unreadable',
  /** The answer stopped in the middle. */
  'broken-off',
] as const
export type ModelFailureReason = (typeof MODEL_FAILURES)[number]

/** A model's failure, without any text of the prompt. */
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
   * Yields the answer as it arrives, in parts of any length. Ending the iteration, or aborting `signal`, ends
   * the call.
   * @throws ModelFailure, or any error once `signal` is aborted
   */
  answer(prompt: ModelPrompt, signal: AbortSignal): AsyncIterable<string>
}
