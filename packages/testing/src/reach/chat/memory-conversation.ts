import type { ChatMessage } from '@svc/core'
import type { Conversation, Visit } from '@svc/core/ports'
import type { MemoryTable } from '../../memory-table.ts'
import type { MemoryTables } from '../../memory-tables.ts'

/** A conversation with its messages, as the fake stores it. */
export interface MemoryConversation extends Conversation {
  readonly said: readonly ChatMessage[]
}

/** Returns the table of conversations. */
export const conversationsOf = (tables: MemoryTables): MemoryTable<MemoryConversation> =>
  tables.of('conversations')

/** Milliseconds of a day. */
export const DAY_MS = 86_400_000

/** Returns a conversation as the port shows it, without its messages. */
export const toConversation = ({ said, ...conversation }: MemoryConversation): Conversation => conversation

/** Whether a visitor may see a conversation. */
export const isVisible = (row: MemoryConversation, visit: Visit, now: Date): boolean =>
  row.sessionId === visit.sessionId &&
  row.lastMessageAt.getTime() > now.getTime() - visit.retentionDays * DAY_MS
