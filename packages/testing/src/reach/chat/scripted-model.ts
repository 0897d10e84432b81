import type { LanguageModel } from '@svc/core'
import type { ModelPrompt } from '@svc/core/ports'

/** One step of a scripted model: says a text, fails with an error, or waits for a promise of the test. */
export type ModelStep = string | Error | Promise<unknown> | (() => Promise<unknown>)

/** A language model that follows a script, and records its prompts and how many of its calls have ended. */
export class ScriptedModel implements LanguageModel {
  readonly prompts: ModelPrompt[] = []
  /** The number of calls that have ended, by themselves or because the caller stopped them. */
  ended = 0
  #script: readonly ModelStep[]

  constructor(script: readonly ModelStep[] = ['Run the installer.']) {
    this.#script = script
  }

  /** Sets the script of later calls. */
  follow(script: readonly ModelStep[]): void {
    this.#script = script
  }

  async *answer(prompt: ModelPrompt, signal: AbortSignal): AsyncGenerator<string> {
    this.prompts.push(prompt)
    try {
      for (const step of this.#script) {
        if (typeof step === 'string') yield step
        else if (step instanceof Error) throw step
        else await Promise.race([typeof step === 'function' ? step() : step, gone(signal)])
        signal.throwIfAborted()
      }
    } finally {
      this.ended += 1
    }
  }
}

function gone(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  if (signal.aborted) reject(signal.reason)
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}
