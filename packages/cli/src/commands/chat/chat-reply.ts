import type { ConversationView } from '@svc/core'
import { shellWord } from '@svc/core/client'
import type { Handler } from '../../program/command-run.ts'
import { conversationFacts } from './conversation-table.ts'

/** Writes to a visitor. */
export const replyToVisitor: Handler<object> = async (run) => {
  const input = { conversation: run.arg(0), text: run.arg(1) }
  const answer = await run.operate<{ conversation: ConversationView; message: string }>('chat.reply', input)
  run.print(answer, (page) => conversationFacts(answer.conversation, page))
  run.hint(
    `The conversation is yours now; svc chat release ${shellWord(answer.conversation.id)} gives it back.`,
  )
}
