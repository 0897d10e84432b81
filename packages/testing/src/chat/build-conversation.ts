import type { BotAnswer, NewConversation, NewMessage } from '@svc/core'
import { buildId } from '../build-id.ts'

/** A message. */
export const buildMessage = (text = 'How do I install the agent?'): NewMessage => ({
  id: buildId('msg'),
  text,
})

/** A conversation that a visitor begins. */
export const buildConversation = (fields: Partial<NewConversation> = {}): NewConversation => ({
  id: buildId('chat'),
  sessionId: 'session-1',
  category: undefined,
  contact: undefined,
  message: buildMessage(),
  ...fields,
})

/** An answer to it. */
export const buildAnswer = (conversationId: string, fields: Partial<BotAnswer> = {}): BotAnswer => ({
  conversationId,
  message: buildMessage('Run the installer.'),
  engine: 'canned',
  sources: [{ title: 'Install the agent', url: '/docs/agents#install' }],
  truncated: false,
  answers: true,
  ...fields,
})
