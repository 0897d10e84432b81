import type { ConversationView } from '@svc/core'
import { shellWord } from '@svc/core/client'
import type { Handler } from '../../program/command-run.ts'
import { wholeNumber } from '../number-option.ts'
import { conversationsTable } from './conversation-table.ts'

/** Which conversations are listed. */
export interface ChatListOptions {
  readonly waiting?: boolean
  readonly limit: string
}

/** Lists conversations. */
export const listConversations: Handler<ChatListOptions> = async (run) => {
  const { waiting = false, limit } = run.options
  const input = { waiting, limit: wholeNumber('--limit', limit) }
  const answer = await run.operate<{ conversations: readonly ConversationView[] }>('chat.list', input)
  run.print(answer, (page) => conversationsTable(answer.conversations, page))
  const [first] = answer.conversations
  if (first === undefined) run.hint(waiting ? 'Nobody waits.' : 'No conversations yet.')
  else if (waiting) run.hint(`svc chat show ${shellWord(first.id)} shows its messages.`)
}
