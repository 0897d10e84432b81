import type { ConversationView } from '@svc/core'
import { shellWord } from '@svc/core/client'
import type { Handler } from '../../program/command-run.ts'
import { conversationFacts } from './conversation-table.ts'

/** Takes a conversation over, gives it back, or ends it. */
export const changeConversation =
  (verb: 'take' | 'release' | 'close'): Handler<object> =>
  async (run) => {
    const input = { conversation: run.arg(0) }
    const answer = await run.operate<{ conversation: ConversationView }>(`chat.${verb}`, input)
    run.print(answer, (page) => conversationFacts(answer.conversation, page))
    const { id } = answer.conversation
    if (verb === 'take')
      run.hint(`The service says nothing more here; svc chat release ${shellWord(id)} lets it.`)
  }
