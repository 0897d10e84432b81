import { text } from 'node:stream/consumers'
import type { EmailMessageView, SuppressionView } from '@svc/core/adapters'
import { shellWord } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { EXIT, type ExitCode } from '../../terminal/failure.ts'
import { ago, facts, instant, type Page, stateColour, table } from '../../terminal/render.ts'
import { plain } from '../../terminal/terminal.ts'
import { wholeNumber } from '../number-option.ts'

/** Flags of the commands on messages. */
export interface QueueOptions {
  readonly state?: string
  readonly license?: string
  readonly limit?: string
  readonly cursor?: string
}

const toText = ({ recipients }: EmailMessageView): string => {
  const [first, ...others] = recipients
  return others.length > 0 ? `${first?.address} and ${others.length} more` : (first?.address ?? '')
}

const messagesTable = (messages: readonly EmailMessageView[], page: Page): string =>
  table(
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'STATE', text: ({ state }) => state, colour: ({ state }) => stateColour(state) },
      { title: 'CREATED', text: ({ created_at }) => ago(created_at, page) },
      { title: 'FROM', narrow: 'shrinks', text: ({ from }) => from },
      { title: 'TO', narrow: 'shrinks', text: toText },
      { title: 'OWNER', narrow: 'leaves', text: ({ license_id }) => license_id ?? 'platform' },
    ],
    messages,
    page,
  )

const messageText = (message: EmailMessageView, page: Page): string => {
  const { id, state, kind, from, created_at, settled_at, recipients } = message
  const head = facts(
    [
      ['id', id],
      ['state', state],
      ['kind', kind],
      ['from', from],
      ['created', instant(created_at, page)],
      ['over', settled_at === 0 ? undefined : instant(settled_at, page)],
    ],
    page,
  )
  const rows = table(
    [
      { title: 'RECIPIENT', narrow: 'shrinks', text: ({ address }) => address },
      { title: 'AS', text: ({ role }) => role },
      { title: 'STATE', text: ({ state: each }) => each },
      { title: 'REPLY', narrow: 'shrinks', text: ({ smtp_text }) => smtp_text ?? '' },
    ],
    recipients,
    page,
  )
  return `${head}\n${rows}`
}

/** Lists messages. */
export const listMessages: Handler<QueueOptions> = async (run) => {
  const { state, license, limit, cursor } = run.options
  const input = given({ state, license, cursor, limit: wholeNumber('--limit', limit) })
  const answer = await run.operate<{ messages: readonly EmailMessageView[]; next_cursor?: string }>(
    'email-queue.list',
    input,
  )
  run.print(answer, (page) => messagesTable(answer.messages, page))
  if (answer.messages.length === 0) run.hint('No messages.')
  if (answer.next_cursor !== undefined) run.hint(`There are more: --cursor ${shellWord(answer.next_cursor)}`)
}

/** Shows a message. */
export const showMessage: Handler<object> = async (run) => {
  const answer = await run.operate<{ message: EmailMessageView }>('email-queue.show', { id: run.arg(0) })
  run.print(answer, (page) => messageText(answer.message, page))
}

/** Sends a message again, or ends it. */
export const changeMessage =
  (verb: 'retry' | 'cancel'): Handler<object> =>
  async (run) => {
    const answer = await run.operate<{ message: EmailMessageView }>(`email-queue.${verb}`, { id: run.arg(0) })
    run.print(answer, (page) => messageText(answer.message, page))
  }

/** Lists suppressed addresses. */
export const listSuppressions: Handler<QueueOptions> = async (run) => {
  const { license, limit } = run.options
  const input = given({ license, limit: wholeNumber('--limit', limit) })
  type Listed = { readonly suppressions: readonly SuppressionView[] }
  const answer = await run.operate<Listed>('email-suppressions.list', input)
  run.print(answer, (page) =>
    table(
      [
        { title: 'ADDRESS', narrow: 'shrinks', text: ({ address }) => address },
        { title: 'REASON', text: ({ reason }) => reason },
        { title: 'UNTIL', text: ({ until }) => instant(until, page) ?? '' },
        { title: 'OWNER', narrow: 'leaves', text: ({ license_id }) => license_id ?? 'platform' },
      ],
      answer.suppressions,
      page,
    ),
  )
  if (answer.suppressions.length === 0) run.hint('No address is suppressed.')
}

/** Sends to an address again. */
export const removeSuppression: Handler<QueueOptions> = async (run) => {
  const input = given({ address: run.arg(0), license: run.options.license })
  const answer = await run.operate('email-suppressions.remove', input)
  run.print(answer, () => `${plain(run.arg(0))} gets messages again\n`)
}

/** Connects to the relay; exit code 1 unless it lets us in. */
export const checkRelay: Handler<object> = async (run): Promise<ExitCode | undefined> => {
  type Checked = { ok: boolean; fault?: string; detail?: string; tls?: boolean }
  const answer = await run.operate<Checked>('email-relay.check', {})
  const { ok, fault, detail, tls } = answer
  run.print(answer, (page) =>
    facts(
      [
        ['ok', ok ? 'yes' : 'no'],
        ['fault', fault],
        ['detail', detail],
        ['tls', tls === undefined ? undefined : tls ? 'yes' : 'no'],
      ],
      page,
    ),
  )
  return ok ? EXIT.done : EXIT.failed
}

/** Flags of `svc email send`. */
export interface SendOptions {
  readonly from: string
  readonly subject: string
  readonly license?: string
}

/** Queues the message whose text comes on the standard input. */
export const sendMessage: Handler<SendOptions> = async (run) => {
  const { from, subject, license } = run.options
  if (run.io.inIsTty) run.hint('The text comes from the standard input; Ctrl-D ends it.')
  const message = { from, to: [...run.args], subject, text: await text(run.io.input()) }
  type Sent = { readonly id: string; readonly recipients: number; readonly suppressed: readonly string[] }
  const answer = await run.operate<Sent>('emails.send', { ...message, ...given({ license }) })
  run.print(answer, () => `queued ${plain(answer.id)} for ${answer.recipients}\n`)
  for (const address of answer.suppressed) run.hint(`${plain(address)} bounced before and gets none.`)
  run.hint(`svc email queue show ${plain(answer.id)} says whether the relay took it.`)
}
