import type {
  ChatMessage,
  ChatMode,
  Conversation,
  ConversationsStore,
  NewMessage,
  VisitorMessage,
} from '@svc/core'
import type { MemoryTables } from '../memory-tables.ts'
import type { Run } from '../memory-turns.ts'
import { byBytes } from '../text-order.ts'
import { memoryChatReads } from './conversation-reads-memory.ts'
import { DAY_MS, isVisible, type MemoryConversation, toConversation } from './memory-conversation.ts'

const plain = { engine: undefined, sources: [], truncated: false }

function spoken(
  row: MemoryConversation,
  said: Pick<ChatMessage, 'id' | 'text' | 'role'> & Partial<ChatMessage>,
  at: Date,
): MemoryConversation {
  const seq = row.messages + 1
  return { ...row, messages: seq, lastMessageAt: at, said: [...row.said, { ...plain, ...said, seq, at }] }
}

/** Conversations in memory. */
export function memoryConversationsStore(
  tables: MemoryTables,
  run: Run,
  time: () => Date,
): ConversationsStore {
  const { conversations, modelDays } = tables
  const keep = (row: MemoryConversation): Conversation => {
    conversations.put(row.id, row)
    return toConversation(row)
  }
  const unused = ({ id }: NewMessage) => {
    const taken = conversations.all().some(({ said }) => said.some((message) => message.id === id))
    if (taken) throw new Error(`there is a message ${id} already`)
  }
  return {
    ...memoryChatReads(tables, run, time),
    begin: ({ id, sessionId, category, contact, message }, now = time()) =>
      run(() => {
        if (conversations.get(id) !== undefined) throw new Error(`there is a conversation ${id} already`)
        unused(message)
        const times = { createdAt: now, lastMessageAt: now, waitingSince: now }
        const fresh = { id, sessionId, mode: 'ai' as const, category, contact, messages: 0, smallTalk: 0 }
        return keep(spoken({ ...fresh, ...times, said: [] }, { ...message, role: 'visitor' }, now))
      }),
    say: (visit: VisitorMessage, now = time()) =>
      run(() => {
        const row = conversations.get(visit.conversationId)
        if (row === undefined || row.mode === 'closed' || !isVisible(row, visit, now)) return undefined
        unused(visit.message)
        const { category = row.category, contact = row.contact } = visit
        const waitingSince = row.waitingSince ?? now
        return keep(
          spoken({ ...row, category, contact, waitingSince }, { ...visit.message, role: 'visitor' }, now),
        )
      }),
    answer: ({ conversationId, message, engine, sources, truncated, answers }, now = time()) =>
      run(() => {
        const row = conversations.get(conversationId)
        if (row?.mode !== 'ai') return false
        unused(message)
        const waitingSince = answers ? undefined : row.waitingSince
        const copies = sources.map((source) => ({ ...source }))
        const said = { ...message, role: 'bot' as const, engine, sources: copies, truncated }
        keep(spoken({ ...row, waitingSince }, said, now))
        return true
      }),
    reply: (conversationId: string, message: NewMessage, now = time()) =>
      run(() => {
        const row = conversations.get(conversationId)
        if (row === undefined || row.mode === 'closed') return undefined
        unused(message)
        const taken = { ...row, waitingSince: undefined, mode: 'human_active' as const }
        return keep(spoken(taken, { ...message, role: 'human' }, now))
      }),
    change: (conversationId: string, from: readonly ChatMode[], to: ChatMode) =>
      run(() => {
        const row = conversations.get(conversationId)
        if (row === undefined || !from.includes(row.mode)) return undefined
        return keep({ ...row, mode: to, waitingSince: to === 'closed' ? undefined : row.waitingSince })
      }),
    takeSmallTalk: (conversationId: string, max: number) =>
      run(() => {
        const row = conversations.get(conversationId)
        if (row === undefined || row.smallTalk >= max) return false
        keep({ ...row, smallTalk: row.smallTalk + 1 })
        return true
      }),
    takeModelCall: (max: number, now = time()) =>
      run(() => {
        const day = now.toISOString().slice(0, 10)
        const calls = modelDays.get(day) ?? 0
        if (calls >= max) return false
        modelDays.put(day, calls + 1)
        return true
      }),
    purge: (retentionDays: number, batch: number, now = time()) =>
      run(() => {
        const last = now.getTime() - retentionDays * DAY_MS
        const old = conversations
          .all()
          .filter((row) => row.lastMessageAt.getTime() <= last)
          .sort(
            (one, other) =>
              one.lastMessageAt.getTime() - other.lastMessageAt.getTime() || byBytes(one.id, other.id),
          )
          .slice(0, batch)
        for (const { id } of old) conversations.put(id, undefined)
        return {
          conversations: old.length,
          messages: old.reduce((count, { said }) => count + said.length, 0),
        }
      }),
  }
}
