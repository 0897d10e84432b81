import { present } from '../../../kernel/present.ts'
import type { Base } from '../../../platform/base.ts'
import type { ChatMetrics } from '../chat-metrics.ts'
import type { Conversation } from '../conversation.ts'
import type { ConversationsStore } from '../conversations-store.ts'
import type { Retrieval } from '../documents/retrieval.ts'
import type { ChatEngine, ChatEvent } from '../message.ts'
import { AnswerFilter } from './answer-filter.ts'
import { cannedAnswer } from './canned-answer.ts'
import { ModelFailure } from './language-model.ts'
import type { ModelAccess } from './model-access.ts'
import { LOOK_UP_MS } from './model-patience.ts'

/** Dependencies of `AnswerStream`. */
export interface AnswerParts extends Pick<Base, 'clock' | 'timers' | 'ids' | 'log'> {
  readonly conversations: ConversationsStore
  readonly metrics: ChatMetrics
  /** Absent: every answer is canned. */
  readonly model: ModelAccess | undefined
  /** Hosts that answers may link to. */
  readonly hosts: ReadonlySet<string>
}

/** The answer to one message as a stream of events (spec, Chat stream). */
export class AnswerStream {
  readonly #parts: AnswerParts
  readonly #conversation: Conversation
  readonly #retrieval: Retrieval
  readonly #signal: AbortSignal
  #engine: ChatEngine = 'none'
  #text = ''
  #isTruncated = false
  #isTaken: boolean
  #lookedAtMs = 0

  /** `signal`: aborted when the visitor has left. */
  constructor(parts: AnswerParts, conversation: Conversation, retrieval: Retrieval, signal: AbortSignal) {
    this.#parts = parts
    this.#conversation = conversation
    this.#retrieval = retrieval
    this.#signal = signal
    this.#isTaken = conversation.mode !== 'ai'
  }

  /**
   * Yields one `meta`, the deltas and one `done`. Never throws: `done` alone tells of a failure after `meta`.
   * Once a person has taken over, the service adds nothing and stores nothing; when the visitor leaves, it
   * stores nothing either.
   */
  async *events(): AsyncGenerator<ChatEvent> {
    const { id, mode } = this.#conversation
    yield { type: 'meta', conversationId: id, grounded: this.#retrieval.grounded, mode }
    let messageId: string | undefined
    try {
      if (!this.#isTaken) yield* this.#fromModel()
      if (this.#goesOn && this.#text === '') yield* this.#fromDocuments()
      if (this.#goesOn) messageId = await this.#store()
    } catch (error) {
      this.#isTruncated = this.#text !== ''
      const name = error instanceof Error ? error.name : typeof error
      this.#parts.log.error({ conversation: id, fault: name }, 'a chat answer failed')
    }
    if (!this.#signal.aborted) yield this.#done(messageId)
  }

  get #goesOn(): boolean {
    return !this.#isTaken && !this.#signal.aborted
  }

  async *#fromModel(): AsyncGenerator<ChatEvent> {
    const { model, hosts } = this.#parts
    const answer = await model?.ask(this.#conversation, this.#retrieval, this.#signal)
    if (model === undefined || answer === undefined) return
    const filter = new AnswerFilter(hosts)
    try {
      for await (const part of answer) {
        await this.#lookUp()
        if (!this.#goesOn) return
        if (part !== undefined) yield* this.#say(filter.push(part), 'llm')
      }
      yield* this.#say(filter.end(), 'llm')
      model.breaker.succeeded()
    } catch (error) {
      // The text that the filter still holds back may be half a secret, so it is dropped.
      if (!this.#signal.aborted) this.#failed(model, error)
    }
  }

  #failed(model: ModelAccess, error: unknown): void {
    const { log, metrics } = this.#parts
    if (!(error instanceof ModelFailure)) throw error
    model.breaker.failed()
    this.#isTruncated = this.#text !== ''
    metrics.modelFailed(error.reason)
    const { code } = (error.cause ?? {}) as { code?: unknown }
    const known = typeof code === 'string' ? { code } : {}
    log.warn(
      { conversation: this.#conversation.id, reason: error.reason, ...known },
      'the language model failed',
    )
  }

  async *#fromDocuments(): AsyncGenerator<ChatEvent> {
    for (const part of cannedAnswer(this.#retrieval)) {
      const filter = new AnswerFilter(this.#parts.hosts)
      yield* this.#say(filter.push(part) + filter.end(), 'canned')
    }
  }

  async *#say(text: string, engine: ChatEngine): AsyncGenerator<ChatEvent> {
    const shown = this.#text === '' ? text.trimStart() : text
    if (shown === '') return
    await this.#lookUp(this.#text === '')
    if (!this.#goesOn) return
    this.#engine = engine
    this.#text += shown
    yield { type: 'delta', text: shown }
  }

  /** Checks whether a person has taken over, at most twice a second unless `now` is set. */
  async #lookUp(now = false): Promise<void> {
    const { conversations, timers } = this.#parts
    if (!now && timers.elapsedMs() - this.#lookedAtMs < LOOK_UP_MS) return
    this.#isTaken = (await conversations.mode(this.#conversation.id)) !== 'ai'
    this.#lookedAtMs = timers.elapsedMs()
  }

  async #store(): Promise<string | undefined> {
    const { conversations, ids, clock } = this.#parts
    const { grounded, sources } = this.#retrieval
    const message = { id: ids.next('msg'), text: this.#text.trimEnd() }
    const engine = this.#engine
    const answers = grounded || engine === 'llm'
    const known = { conversationId: this.#conversation.id, message, engine, sources, answers }
    const isStored = await conversations.answer(
      { ...known, truncated: this.#isTruncated },
      clock.statementTime(),
    )
    this.#isTaken = !isStored
    return isStored ? message.id : undefined
  }

  #done(messageId: string | undefined): ChatEvent {
    const engine = this.#isTaken ? 'none' : this.#engine
    this.#parts.metrics.answered(engine)
    return {
      type: 'done',
      sources: engine === 'none' ? [] : this.#retrieval.sources,
      engine,
      ...present('messageId', messageId),
      ...(this.#isTruncated ? { truncated: true } : {}),
    }
  }
}
