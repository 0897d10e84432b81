import type { ConversationsStore, Visit } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes } from '../../text-order.ts'
import { conversationsOf, isVisible, type MemoryConversation, toConversation } from './memory-conversation.ts'

const MAX_REPLIES = 100

const latestFirst = (one: MemoryConversation, other: MemoryConversation): number =>
  other.lastMessageAt.getTime() - one.lastMessageAt.getTime() || byBytes(other.id, one.id)

const longestWaitFirst = (one: MemoryConversation, other: MemoryConversation): number =>
  (one.waitingSince?.getTime() ?? 0) - (other.waitingSince?.getTime() ?? 0) || byBytes(one.id, other.id)

/** The reading methods of conversations in memory. */
export function memoryChatReads(
  tables: MemoryTables,
  run: Run,
  time: () => Date,
): Pick<ConversationsStore, 'find' | 'list' | 'messages' | 'mode' | 'replies'> {
  const conversations = conversationsOf(tables)
  return {
    mode: (conversationId: string) => run(() => conversations.get(conversationId)?.mode),
    find: (conversationId: string) =>
      run(() => {
        const row = conversations.get(conversationId)
        return row === undefined ? undefined : toConversation(row)
      }),
    messages: (conversationId: string, limit: number, before = Number.POSITIVE_INFINITY) =>
      run(() => {
        const said = (conversations.get(conversationId)?.said ?? []).filter(({ seq }) => seq < before)
        return limit < 1 ? [] : said.slice(-limit)
      }),
    replies: (visit: Visit, after: string | undefined, now = time()) =>
      run(() => {
        const row = conversations.get(visit.conversationId)
        if (row === undefined || !isVisible(row, visit, now)) return undefined
        const seen = row.said.find(({ id }) => id === after)?.seq ?? 0
        const messages = row.said.filter(({ role, seq }) => role === 'human' && seq > seen)
        return { mode: row.mode, messages: messages.slice(0, MAX_REPLIES) }
      }),
    list: ({ waiting, limit }) =>
      run(() =>
        conversations
          .all()
          .filter((row) => !waiting || row.waitingSince !== undefined)
          .sort(waiting ? longestWaitFirst : latestFirst)
          .slice(0, limit)
          .map(toConversation),
      ),
  }
}
