import type { Command } from 'commander'
import { examples, operating, type Run } from '../declare.ts'

/** `svc chat …` */
export function declareChat(program: Command, run: Run): void {
  const chat = program.command('chat')
  const list = operating(chat, 'chat.list')
    .option('--waiting', 'only those that wait for an answer, longest first')
    .option('--limit <count>', 'at most so many', '50')
    .action(run(async () => (await import('./chat-list.ts')).listConversations))
  examples(list, 'svc chat list --waiting')
  const show = operating(chat, 'chat.show', '<conversation>')
    .option('--limit <count>', 'at most so many messages, the last ones', '100')
    .option('--cursor <cursor>', 'next_cursor of an earlier answer: the messages before those')
    .action(run(async () => (await import('./chat-show.ts')).showConversation))
  examples(show, 'svc chat show chat_01k9xv3m5n8q2r4s6t7w9y1z3b')
  const reply = operating(chat, 'chat.reply', '<conversation> <text>').action(
    run(async () => (await import('./chat-reply.ts')).replyToVisitor),
  )
  examples(
    reply,
    'svc chat reply chat_01k9xv3m5n8q2r4s6t7w9y1z3b "Hello, this is Ada. I am looking into it."',
  )
  for (const verb of ['take', 'release', 'close'] as const) {
    const change = operating(chat, `chat.${verb}`, '<conversation>').action(
      run(async () => (await import('./chat-change.ts')).changeConversation(verb)),
    )
    examples(change, `svc chat ${verb} chat_01k9xv3m5n8q2r4s6t7w9y1z3b`)
  }
  const ask = operating(chat, 'chat.ask', '<question>').action(
    run(async () => (await import('./chat-ask.ts')).askDocuments),
  )
  examples(ask, 'svc chat ask "How do I install the agent?"')
}
