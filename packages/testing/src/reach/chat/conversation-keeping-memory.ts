import type { ChatMode, ConversationsStore } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes } from '../../text-order.ts'
import { conversationsOf, DAY_MS, type MemoryConversation, toConversation } from './memory-conversation.ts'

const oldestFirst = (one: MemoryConversation, other: MemoryConversation): number =>
  one.lastMessageAt.getTime() - other.lastMessageAt.getTime() || byBytes(one.id, other.id)

/** Modes, counts and retention of conversations in memory. */
export function memoryChatKeeping(
  tables: MemoryTables,
  run: Run,
  time: () => Date,
): Pick<ConversationsStore, 'change' | 'purge' | 'takeModelCall' | 'takeSmallTalk'> {
  const conversations = conversationsOf(tables)
  /** The number of calls of the language model, by day. */
  const modelDays = tables.of<number>('modelDays')
  return {
    change: (conversationId: string, from: readonly ChatMode[], to: ChatMode) =>
      run(() => {
        const row = conversations.get(conversationId)
        if (row === undefined || !from.includes(row.mode)) return undefined
        const changed = { ...row, mode: to, waitingSince: to === 'closed' ? undefined : row.waitingSince }
        conversations.put(row.id, changed)
        return toConversation(changed)
      }),
    takeSmallTalk: (conversationId: string, max: number) =>
      run(() => {
        const row = conversations.get(conversationId)
        if (row === undefined || row.smallTalk >= max) return false
        conversations.put(row.id, { ...row, smallTalk: row.smallTalk + 1 })
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
        const old = conversations.all().filter((row) => row.lastMessageAt.getTime() <= last)
        const gone = old.sort(oldestFirst).slice(0, batch)
        for (const { id } of gone) conversations.put(id, undefined)
        return {
          conversations: gone.length,
          messages: gone.reduce((count, { said }) => count + said.length, 0),
        }
      }),
  }
}
