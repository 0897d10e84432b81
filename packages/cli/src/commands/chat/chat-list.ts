import { type ConversationView, shellWord } from '@svc/core'
import type { Handler } from '../../program/call.ts'
import { wholeNumber } from '../number-option.ts'
import { conversationsTable } from './conversation-table.ts'

/** Which conversations are listed. */
export interface ChatListOptions {
  readonly waiting?: boolean
  readonly limit: string
}

/** Lists conversations. */
export const listConversations: Handler<ChatListOptions> = async (call) => {
  const { waiting = false, limit } = call.options
  const input = { waiting, limit: wholeNumber('--limit', limit) }
  const answer = await call.operate<{ conversations: readonly ConversationView[] }>('chat.list', input)
  call.print(answer, (page) => conversationsTable(answer.conversations, page))
  const [first] = answer.conversations
  if (first === undefined) call.hint(waiting ? 'Nobody waits.' : 'No conversations yet.')
  else if (waiting) call.hint(`svc chat show ${shellWord(first.id)} shows what was said.`)
}
