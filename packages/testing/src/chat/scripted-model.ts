import type { LanguageModel, ModelPrompt } from '@svc/core'

/** What a scripted model does next: say something, fail, or wait for something of the test's. */
export type ModelStep = string | Error | Promise<unknown> | (() => Promise<unknown>)

/** A language model that follows a script, and remembers what it was asked and whether it was let go. */
export class ScriptedModel implements LanguageModel {
  readonly prompts: ModelPrompt[] = []
  /** Calls that have ended, by the caller's wish or their own. */
  ended = 0
  #script: readonly ModelStep[]

  constructor(script: readonly ModelStep[] = ['Run the installer.']) {
    this.#script = script
  }

  /** Another script for the calls to come. */
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
