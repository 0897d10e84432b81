import type { ConversationView } from '@svc/core'
import { type MessageView, shellWord } from '@svc/core/adapters'
import type { Handler } from '../../program/command-run.ts'
import { ago, type Page } from '../../terminal/render.ts'
import { paint, plain, plainBlock } from '../../terminal/terminal.ts'
import { wholeNumber } from '../number-option.ts'
import { conversationFacts } from './conversation-table.ts'

const SPEAKERS = { visitor: 'visitor', bot: 'service', human: 'person' } as const

function messageText({ role, text, at, engine, truncated }: MessageView, page: Page): string {
  const how = [engine, truncated ? 'broken off' : undefined].filter((word) => word !== undefined).join(', ')
  const head = plain(`${SPEAKERS[role] ?? role}, ${ago(at, page)}${how === '' ? '' : ` (${how})`}`)
  return `\n${page.colour ? paint(head, 'dim') : head}\n${plainBlock(text)}\n`
}

/** Shows a conversation with its last messages. */
export const showConversation: Handler<{ readonly limit: string }> = async (run) => {
  const input = { conversation: run.arg(0), limit: wholeNumber('--limit', run.options.limit) }
  const answer = await run.operate<{
    conversation: ConversationView
    messages: readonly MessageView[]
  }>('chat.show', input)
  const { conversation, messages } = answer
  run.print(
    answer,
    (page) =>
      conversationFacts(conversation, page) + messages.map((message) => messageText(message, page)).join(''),
  )
  if (conversation.waiting_since !== undefined)
    run.hint(`svc chat reply ${shellWord(conversation.id)} TEXT answers.`)
}
