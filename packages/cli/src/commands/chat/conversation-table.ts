import type { ConversationView } from '@svc/core'
import { idColumn } from '../../terminal/id-column.ts'
import { ago, facts, instant, type Page, table } from '../../terminal/render.ts'

const ANSWERED_BY = { ai: 'service', human_active: 'person', closed: 'closed' } as const

// A server may be newer and know further words.
const answeredBy = (mode: ConversationView['mode']): string => ANSWERED_BY[mode] ?? mode

/** Conversations as people read them. */
export const conversationsTable = (conversations: readonly ConversationView[], page: Page): string =>
  table(
    [
      idColumn(conversations, page),
      { title: 'ANSWERED BY', text: ({ mode }) => answeredBy(mode) },
      {
        title: 'WAITS SINCE',
        text: ({ waiting_since }) => (waiting_since === undefined ? '' : ago(waiting_since, page)),
        colour: ({ waiting_since }) => (waiting_since === undefined ? undefined : 'yellow'),
      },
      { title: 'MESSAGES', narrow: 'leaves', text: ({ messages }) => String(messages) },
      { title: 'CATEGORY', narrow: 'leaves', text: ({ category }) => category ?? '' },
      { title: 'LAST', text: ({ last_message_at }) => ago(last_message_at, page) },
    ],
    conversations,
    page,
  )

/** One conversation as people read it. */
export const conversationFacts = (shown: ConversationView, page: Page): string =>
  facts(
    [
      ['id', shown.id],
      ['answered by', answeredBy(shown.mode)],
      ['category', shown.category],
      ['contact', shown.contact],
      ['waits since', instant(shown.waiting_since, page)],
      ['begun', instant(shown.created_at, page)],
    ],
    page,
  )
