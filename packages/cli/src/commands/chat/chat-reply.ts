import { type ConversationView, shellWord } from '@svc/core'
import type { Handler } from '../../program/call.ts'
import { conversationFacts } from './conversation-table.ts'

/** Writes to a visitor. */
export const replyToVisitor: Handler<object> = async (call) => {
  const input = { conversation: call.arg(0), text: call.arg(1) }
  const answer = await call.operate<{ conversation: ConversationView; message: string }>('chat.reply', input)
  call.print(answer, (page) => conversationFacts(answer.conversation, page))
  call.hint(
    `The conversation is yours now; svc chat release ${shellWord(answer.conversation.id)} gives it back.`,
  )
}
