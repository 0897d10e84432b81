import type { BotAnswer, NewConversation, NewMessage } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns a message of a visitor. */
export const buildMessage = (text = 'How do I install the agent?'): NewMessage => ({
  id: buildId('msg'),
  text,
})

/** Returns a conversation that a visitor begins. */
export const buildConversation = (fields: Partial<NewConversation> = {}): NewConversation => ({
  id: buildId('chat'),
  sessionId: 'session-1',
  category: undefined,
  contact: undefined,
  message: buildMessage(),
  ...fields,
})

/** Returns an answer of the bot in a conversation. */
export const buildAnswer = (conversationId: string, fields: Partial<BotAnswer> = {}): BotAnswer => ({
  conversationId,
  message: buildMessage('Run the installer.'),
  engine: 'canned',
  sources: [{ title: 'Install the agent', url: '/docs/agents#install' }],
  truncated: false,
  answers: true,
  ...fields,
})
