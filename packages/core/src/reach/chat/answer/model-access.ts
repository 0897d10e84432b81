import type { Base } from '../../../platform/base.ts'
import type { Conversation } from '../conversation.ts'
import type { ConversationsStore } from '../conversations-store.ts'
import type { Retrieval } from '../documents/retrieval.ts'
import { Breaker } from './breaker.ts'
import type { LanguageModel } from './language-model.ts'
import { patientAnswer } from './model-patience.ts'
import { PROMPT_TURNS, promptOf } from './prompt.ts'

/** Most answers without documents that one conversation gets from the model (docs/chat.md). */
export const MAX_SMALL_TALK = 3
const FENCE_BYTES = 12

/** Dependencies of `ModelAccess`. */
export interface ModelAccessParts extends Pick<Base, 'clock' | 'timers' | 'ids'> {
  readonly model: LanguageModel
  readonly conversations: ConversationsStore
  /** Most calls a day, over all replicas. */
  readonly dailyLimit: number
}

/** Access to the language model: decides whether a question may go to it, and chooses the prompt. */
export class ModelAccess {
  readonly breaker: Breaker
  readonly #parts: ModelAccessParts

  constructor(parts: ModelAccessParts) {
    this.#parts = parts
    this.breaker = new Breaker(() => parts.timers.elapsedMs())
  }

  /**
   * Asks the model about the last message of a conversation; undefined when the model may not be asked now.
   */
  async ask(
    { id }: Conversation,
    { grounded, hits }: Retrieval,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<string | undefined> | undefined> {
    const { model, conversations, clock, timers, ids, dailyLimit } = this.#parts
    if (!this.breaker.admit()) return undefined
    if (!grounded && !(await conversations.takeSmallTalk(id, MAX_SMALL_TALK))) return undefined
    if (!(await conversations.takeModelCall(dailyLimit, clock.statementTime()))) return undefined
    const messages = await conversations.messages(id, PROMPT_TURNS + 1)
    const prompt = promptOf({ messages, hits, fence: ids.secret(FENCE_BYTES) })
    return patientAnswer({ model, prompt, timers, signal })
  }
}
