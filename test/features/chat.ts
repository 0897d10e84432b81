import { change, conversation, nothing, read, wrong } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

/** Access to chat. */
export const feature: Feature = {
  operations: {
    'chat.list': read('platform.support', nothing, ['invalid-input', wrong.text]),
    'chat.show': read('platform.support', conversation, ['not-found', wrong.conversation]),
    'chat.take': change('platform.support', conversation, wrong.conversation),
    'chat.release': change('platform.support', conversation, wrong.conversation),
    'chat.close': change(
      'platform.support',
      ({ spare }) => ({ conversation: spare.conversation }),
      wrong.conversation,
    ),
    'chat.reply': change(
      'platform.support',
      (world) => ({ ...conversation(world), text: 'a word' }),
      wrong.conversation,
    ),
    'chat.ask': read('platform.support', () => ({ question: 'How do I install the agent?' }), [
      'invalid-input',
      nothing,
    ]),
  },
  requests: {
    'POST /api/chat': {
      asks: 'nothing',
      body: ({ own }) => ({ conversationId: own.conversation, sessionId: own.visitor, message: 'and then?' }),
      good: 200,
    },
    'GET /api/chat': {
      asks: 'nothing',
      path: ({ own }) => ({ query: `?conversationId=${own.conversation}&sessionId=${own.visitor}` }),
      good: 200,
    },
    'OPTIONS /api/chat': { asks: 'nothing', good: 204 },
  },
}
