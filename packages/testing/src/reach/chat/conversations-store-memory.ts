import type { ConversationsStore } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { memoryChatKeeping } from './conversation-keeping-memory.ts'
import { memoryChatReads } from './conversation-reads-memory.ts'
import { memoryChatTalk } from './conversation-talk-memory.ts'

/** Conversations in memory. */
export function memoryConversationsStore(
  tables: MemoryTables,
  run: Run,
  time: () => Date,
): ConversationsStore {
  return {
    ...memoryChatTalk(tables, run, time),
    ...memoryChatReads(tables, run, time),
    ...memoryChatKeeping(tables, run, time),
  }
}
