import { type ConversationView, shellWord } from '@svc/core'
import type { Handler } from '../../program/call.ts'
import { conversationFacts } from './conversation-table.ts'

/** Takes a conversation over, gives it back, or ends it. */
export const changeConversation =
  (verb: 'take' | 'release' | 'close'): Handler<object> =>
  async (call) => {
    const input = { conversation: call.arg(0) }
    const answer = await call.operate<{ conversation: ConversationView }>(`chat.${verb}`, input)
    call.print(answer, (page) => conversationFacts(answer.conversation, page))
    const { id } = answer.conversation
    if (verb === 'take')
      call.hint(`The service says nothing more here; svc chat release ${shellWord(id)} lets it.`)
  }
