import type { ConversationView } from '@svc/core'
import type { MessageView } from '@svc/core/adapters'
import { shellWord } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { ago, type Page } from '../../terminal/render.ts'
import { paint, plain, plainBlock } from '../../terminal/terminal.ts'
import { hintMore } from '../hint-more.ts'
import { wholeNumber } from '../number-option.ts'
import { conversationFacts } from './conversation-table.ts'

const SPEAKERS = { visitor: 'visitor', bot: 'service', human: 'person' } as const

function messageText({ role, text, at, engine, truncated }: MessageView, page: Page): string {
  const how = [engine, truncated ? 'broken off' : undefined].filter((word) => word !== undefined).join(', ')
  const head = plain(`${SPEAKERS[role] ?? role}, ${ago(at, page)}${how === '' ? '' : ` (${how})`}`)
  return `\n${page.colour ? paint(head, 'dim') : head}\n${plainBlock(text)}\n`
}

/** Shows a conversation with its last messages. */
export const showConversation: Handler<{ readonly limit: string; readonly cursor?: string }> = async (
  run,
) => {
  const { limit, cursor } = run.options
  const input = given({ conversation: run.arg(0), limit: wholeNumber('--limit', limit), cursor })
  const answer = await run.operate<{
    conversation: ConversationView
    messages: readonly MessageView[]
    next_cursor?: string
  }>('chat.show', input)
  const { conversation, messages } = answer
  run.print(
    answer,
    (page) =>
      conversationFacts(conversation, page) + messages.map((message) => messageText(message, page)).join(''),
  )
  hintMore(run, answer)
  if (conversation.waiting_since !== undefined)
    run.hint(`svc chat reply ${shellWord(conversation.id)} TEXT answers.`)
}
