import type { Command } from 'commander'
import { examples, type Run, reaching } from '../declare.ts'

/** `svc chat …` */
export function declareChat(program: Command, run: Run): void {
  const chat = program.command('chat')
  const list = reaching(chat.command('list').description('list conversations, newest first'))
    .option('--waiting', 'only those that wait for an answer, longest first')
    .option('--limit <count>', 'at most so many', '50')
    .action(run(async () => (await import('./chat-list.ts')).listConversations))
  examples(list, 'svc chat list --waiting')
  const show = reaching(chat.command('show <conversation>').description('show what was said'))
    .option('--limit <count>', 'at most so many messages, the last ones', '100')
    .action(run(async () => (await import('./chat-show.ts')).showConversation))
  examples(show, 'svc chat show chat_01k9xv3m5n8q2r4s6t7w9y1z3b')
  const reply = reaching(
    chat
      .command('reply <conversation> <text>')
      .description('write to the visitor, taking the conversation over'),
  ).action(run(async () => (await import('./chat-reply.ts')).replyToVisitor))
  examples(
    reply,
    'svc chat reply chat_01k9xv3m5n8q2r4s6t7w9y1z3b "Hello, this is Ada. I am looking into it."',
  )
  const changes = [
    ['take', 'take a conversation over: the service falls silent in it'],
    ['release', 'give a conversation back to the service'],
    ['close', "end a conversation; the visitor's next message begins another"],
  ] as const
  for (const [verb, summary] of changes) {
    const change = reaching(chat.command(`${verb} <conversation>`).description(summary)).action(
      run(async () => (await import('./chat-change.ts')).changeConversation(verb)),
    )
    examples(change, `svc chat ${verb} chat_01k9xv3m5n8q2r4s6t7w9y1z3b`)
  }
  const ask = reaching(
    chat
      .command('ask <question>')
      .description('show what the documents say to a question; nothing is stored'),
  ).action(run(async () => (await import('./chat-ask.ts')).askDocuments))
  examples(ask, 'svc chat ask "How do I install the agent?"')
}
