import type { ChatMessage } from '@svc/core'
import type {
  ChatSource,
  Conversation,
  ConversationsStore,
  NewMessage,
  VisitorMessage,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { jsonCopy } from '../../text-order.ts'
import { conversationsOf, isVisible, type MemoryConversation, toConversation } from './memory-conversation.ts'

const plain = { engine: undefined, sources: [], truncated: false }

type Said = Pick<ChatMessage, 'id' | 'text' | 'role'> & Partial<ChatMessage>

/** Stores a message in a conversation; the message's id must be new. */
function speak(tables: MemoryTables, row: MemoryConversation, said: Said, at: Date): Conversation {
  const conversations = conversationsOf(tables)
  const isTaken = conversations.all().some((each) => each.said.some(({ id }) => id === said.id))
  if (isTaken) throw new Error(`there is a message ${said.id} already`)
  const seq = row.messages + 1
  const spoken = {
    ...row,
    messages: seq,
    lastMessageAt: at,
    said: [...row.said, { ...plain, ...said, seq, at }],
  }
  conversations.put(row.id, spoken)
  return toConversation(spoken)
}

/** The methods that write messages of conversations in memory. */
export function memoryChatTalk(
  tables: MemoryTables,
  run: Run,
  time: () => Date,
): Pick<ConversationsStore, 'answer' | 'begin' | 'reply' | 'say'> {
  const conversations = conversationsOf(tables)
  return {
    begin: ({ id, sessionId, category, contact, message }, now = time()) =>
      run(() => {
        if (conversations.get(id) !== undefined) throw new Error(`there is a conversation ${id} already`)
        const times = { createdAt: now, lastMessageAt: now, waitingSince: now }
        const fresh = { id, sessionId, mode: 'ai' as const, category, contact, messages: 0, smallTalk: 0 }
        return speak(tables, { ...fresh, ...times, said: [] }, { ...message, role: 'visitor' }, now)
      }),
    say: (visit: VisitorMessage, now = time()) =>
      run(() => {
        const row = conversations.get(visit.conversationId)
        if (row === undefined || row.mode === 'closed' || !isVisible(row, visit, now)) return undefined
        const { category = row.category, contact = row.contact } = visit
        const waiting = { ...row, category, contact, waitingSince: row.waitingSince ?? now }
        return speak(tables, waiting, { ...visit.message, role: 'visitor' }, now)
      }),
    answer: ({ conversationId, message, engine, sources, truncated, answers }, now = time()) =>
      run(() => {
        const copies = jsonCopy({ sources }) as { readonly sources: readonly ChatSource[] }
        const row = conversations.get(conversationId)
        if (row?.mode !== 'ai') return false
        const answered = { ...row, waitingSince: answers ? undefined : row.waitingSince }
        speak(tables, answered, { ...message, role: 'bot', engine, ...copies, truncated }, now)
        return true
      }),
    reply: (conversationId: string, message: NewMessage, now = time()) =>
      run(() => {
        const row = conversations.get(conversationId)
        if (row === undefined || row.mode === 'closed') return undefined
        const taken = { ...row, waitingSince: undefined, mode: 'human_active' as const }
        return speak(tables, taken, { ...message, role: 'human' }, now)
      }),
  }
}
