import { readPage } from '../../kernel/page.ts'
import { Problem } from '../../kernel/problem.ts'
import { redact } from '../../kernel/redaction/redactor.ts'
import type { Base } from '../../platform/base.ts'
import type { Config } from '../../platform/config/config.ts'
import { type AnswerParts, AnswerStream } from './answer/answer-stream.ts'
import type { LanguageModel } from './answer/language-model.ts'
import { ModelAccess } from './answer/model-access.ts'
import { ChatMetrics } from './chat-metrics.ts'
import {
  type ChatCategory,
  type ChatMode,
  type Conversation,
  contactText,
  isConversationId,
  sessionKey,
} from './conversation.ts'
import type { HumanReplies } from './conversations-store.ts'
import type { ContentFolder } from './documents/content-folder.ts'
import { Library } from './documents/library.ts'
import type { Retrieval } from './documents/retrieval.ts'
import { type ChatEvent, type ChatMessage, isMessageId } from './message.ts'
import { siteHosts } from './site.ts'
import { visitorText } from './visitor-text.ts'
import { WaitingVisitors } from './waiting-visitors.ts'

/** Dependencies of `Chat`. */
export interface ChatParts extends Pick<Base, 'storage' | 'clock' | 'timers' | 'ids' | 'log' | 'metrics'> {
  readonly config: Pick<Config, 'chat' | 'faults' | 'service'>
  readonly folders: readonly ContentFolder[]
  /** Absent: answers come from the documents alone. */
  readonly model: LanguageModel | undefined
  /** Whether the service is about to stop; waiting visitors are then answered at once. */
  readonly isDraining: () => boolean
}

/** A visitor's message as the request carries it. */
export interface IncomingMessage {
  readonly conversationId: string | undefined
  readonly sessionId: string | undefined
  readonly message: string | undefined
  readonly category: ChatCategory | undefined
  readonly contact: string | null | undefined
}

/** A visitor's request for the replies of people. */
export interface RepliesQuery {
  readonly conversationId: string
  readonly sessionId: string | undefined
  /** The id of the last message that the visitor has seen. */
  readonly after: string | undefined
  /** How long to wait for a reply, in seconds. */
  readonly waitSeconds: number
  /** The visitor's network; the number of visitors that wait is limited for each network. */
  readonly network: string
}

const LOOK_MS = 1000
const PURGE_BATCH = 500
const PURGE_MS = 10_000

/** The public support chat (spec, POST /api/chat; docs/chat.md). */
export class Chat {
  readonly #parts: ChatParts
  readonly #answers: AnswerParts
  readonly #library: Library
  readonly #waiting = new WaitingVisitors()

  constructor(parts: ChatParts) {
    this.#parts = parts
    const { storage, clock, timers, ids, log, model, config } = parts
    const { conversations } = storage
    const dailyLimit = config.chat.llmDailyLimit
    const metrics = new ChatMetrics(parts.metrics)
    const access = model && new ModelAccess({ model, conversations, clock, timers, ids, dailyLimit })
    const hosts = siteHosts(config.service.publicUrl, config.chat.allowedOrigins)
    this.#answers = { conversations, clock, timers, ids, log, metrics, model: access, hosts }
    this.#library = new Library(parts.folders, log)
  }

  /**
   * Stores a visitor's message, redacted, and returns the events of its answer; undefined for a message with
   * nothing to read in it. If the visitor may not continue the conversation, a new one begins without an
   * error. `signal`: aborted when the visitor leaves.
   */
  async converse(
    incoming: IncomingMessage,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<ChatEvent> | undefined> {
    const text = visitorText(incoming.message)
    if (text === undefined) return undefined
    const conversation = await this.#received(incoming, text)
    const retrieval = await this.retrieve(text)
    return new AnswerStream(this.#answers, conversation, retrieval, signal).events()
  }

  /**
   * Returns the replies that people have written to a visitor. An unknown conversation, or one of another
   * visitor, looks like a new one and is answered without a wait.
   */
  async replies(query: RepliesQuery, signal: AbortSignal): Promise<HumanReplies> {
    const { timers } = this.#parts
    const mayWait = query.waitSeconds > 0 && this.#waiting.enter(query.network)
    const until = timers.elapsedMs() + (mayWait ? query.waitSeconds * 1000 : 0)
    try {
      for (;;) {
        const found = await this.#repliesNow(query)
        if (found === undefined) return { mode: 'ai', messages: [] }
        const rest = until - timers.elapsedMs()
        const isOver = rest <= 0 || signal.aborted || this.#parts.isDraining()
        if (isOver || found.messages.length > 0 || found.mode === 'closed') return found
        await timers.pause(Math.min(LOOK_MS, rest), signal)
      }
    } finally {
      if (mayWait) this.#waiting.leave(query.network)
    }
  }

  /** Returns the chunks of the documents that fit a question, and how well. */
  async retrieve(question: string): Promise<Retrieval> {
    return (await this.#library.index()).retrieve(question)
  }

  /** Returns the number of chunks that answers can be drawn from. */
  async documents(): Promise<number> {
    return (await this.#library.index()).size
  }

  /** Returns the latest conversations, or the unanswered ones if `waiting`, longest wait first. */
  list(waiting: boolean, limit: number): Promise<readonly Conversation[]> {
    return this.#parts.storage.conversations.list({ waiting, limit })
  }

  /**
   * Returns a conversation with its last messages, of those before `before`; `next`: of the page before this.
   * @throws Problem `not-found`
   */
  async show(
    id: string,
    limit: number,
    before?: number,
  ): Promise<{ conversation: Conversation; messages: readonly ChatMessage[]; next: number | undefined }> {
    const { conversations } = this.#parts.storage
    const conversation = await this.#known(id)
    const { rows, next } = await readPage<ChatMessage, number>({
      limit,
      before,
      read: async (most, from) => (await conversations.messages(id, most, from)).toReversed(),
      cursorOf: ({ seq }) => seq,
    })
    return { conversation, messages: rows.toReversed(), next }
  }

  /** Takes a conversation over from the service. @throws Problem `not-found`, `conflict` */
  take(id: string): Promise<Conversation> {
    return this.#change(id, ['ai', 'human_active'], 'human_active')
  }

  /** Gives a conversation back to the service. @throws Problem `not-found`, `conflict` */
  release(id: string): Promise<Conversation> {
    return this.#change(id, ['ai', 'human_active'], 'ai')
  }

  /** Ends a conversation; the visitor's next message begins another. @throws Problem `not-found` */
  close(id: string): Promise<Conversation> {
    return this.#change(id, ['ai', 'human_active', 'closed'], 'closed')
  }

  /**
   * Writes to the visitor as a person, taking the conversation over.
   * @throws Problem `not-found`, `conflict`, `invalid-input` for a text with nothing to read in it
   */
  async reply(id: string, given: string): Promise<{ conversation: Conversation; message: string }> {
    const { storage, clock, ids } = this.#parts
    const text = visitorText(given)
    if (text === undefined)
      throw new Problem('invalid-input', { details: ['text: expected something to read'] })
    const message = { id: ids.next('msg'), text }
    const conversation = await storage.conversations.reply(id, message, clock.statementTime())
    if (conversation === undefined) return this.#refuse(id)
    return { conversation, message: message.id }
  }

  /**
   * Deletes conversations past their retention in batches, for at most 10 s. Returns the number of rows,
   * messages included.
   */
  async purge(signal?: AbortSignal): Promise<number> {
    const { storage, clock, timers, config } = this.#parts
    // The setting that could not be read may have asked for a longer retention.
    if (config.faults.chat !== undefined) return 0
    const until = timers.elapsedMs() + PURGE_MS
    let removed = 0
    for (;;) {
      const days = config.chat.retentionDays
      const { conversations, messages } = await storage.conversations.purge(
        days,
        PURGE_BATCH,
        clock.statementTime(),
      )
      removed += conversations + messages
      if (conversations < PURGE_BATCH || timers.elapsedMs() >= until || signal?.aborted) return removed
    }
  }

  async #received(incoming: IncomingMessage, text: string): Promise<Conversation> {
    const { storage, clock, ids, config } = this.#parts
    const { conversationId, category } = incoming
    const sessionId = sessionKey(incoming.sessionId)
    const said = {
      sessionId,
      category,
      contact: contactText(incoming.contact),
      message: { id: ids.next('msg'), text },
    }
    const { retentionDays } = config.chat
    const known = isConversationId(conversationId)
      ? await storage.conversations.say({ ...said, conversationId, retentionDays }, clock.statementTime())
      : undefined
    return known ?? storage.conversations.begin({ ...said, id: ids.next('chat') }, clock.statementTime())
  }

  async #repliesNow({ conversationId, sessionId, after }: RepliesQuery): Promise<HumanReplies | undefined> {
    const { storage, clock, config } = this.#parts
    const { retentionDays } = config.chat
    const visit = { conversationId, sessionId: sessionKey(sessionId), retentionDays }
    const seen = isMessageId(after) ? after : undefined
    if (!isConversationId(conversationId)) return undefined
    return storage.conversations.replies(visit, seen, clock.statementTime())
  }

  async #change(id: string, from: readonly ChatMode[], to: ChatMode): Promise<Conversation> {
    const changed = await this.#parts.storage.conversations.change(id, from, to)
    return changed ?? this.#refuse(id)
  }

  async #known(id: string): Promise<Conversation> {
    const found = await this.#parts.storage.conversations.find(id)
    if (found === undefined)
      throw new Problem('not-found', { detail: `there is no conversation ${redact(id)}` })
    return found
  }

  async #refuse(id: string): Promise<never> {
    const { mode } = await this.#known(id)
    throw new Problem('conflict', { detail: `conversation ${id} is ${mode}` })
  }
}
