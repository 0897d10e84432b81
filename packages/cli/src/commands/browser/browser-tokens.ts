import type { BrowserTokenView } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'
import { idColumn } from '../../terminal/id-column.ts'
import { ago, type Page, table } from '../../terminal/render.ts'
import { plain } from '../../terminal/terminal.ts'
import { wholeNumber } from '../number-option.ts'

/** Browser tokens as people read them. */
const tokensTable = (tokens: readonly BrowserTokenView[], page: Page): string =>
  table(
    [
      idColumn(tokens, page),
      { title: 'LABEL', narrow: 'shrinks', text: ({ label }) => label },
      { title: 'LICENSE', narrow: 'leaves', text: ({ license_id = '' }) => license_id },
      { title: 'A DAY', text: ({ daily_limit }) => String(daily_limit) },
      { title: 'CREATED', narrow: 'leaves', text: ({ created_at }) => ago(created_at, page) },
      {
        title: 'LAST USED',
        text: ({ last_used_at }) => (last_used_at === undefined ? 'never' : ago(last_used_at, page)),
      },
    ],
    tokens,
    page,
  )

/** Flags of `svc browser tokens issue`. */
export interface IssueOptions {
  readonly license?: string
  readonly label?: string
  readonly daily?: string
}

/** Issues a token and prints it, which nobody can do again. */
export const issueToken: Handler<IssueOptions> = async (run) => {
  const { license, label, daily } = run.options
  const input = given({ license, label, daily: wholeNumber('--daily', daily) })
  type Issued = { readonly token: BrowserTokenView; readonly secret: string }
  const answer = await run.operate<Issued>('browser-tokens.issue', input)
  run.print(answer, (page) => `${tokensTable([answer.token], page)}\ntoken  ${plain(answer.secret)}\n`)
  run.hint('The token is shown this once: store it now.')
}

/** Lists the tokens. */
export const listTokens: Handler<object> = async (run) => {
  type Listed = { readonly tokens: readonly BrowserTokenView[] }
  const answer = await run.operate<Listed>('browser-tokens.list', {})
  run.print(answer, (page) => tokensTable(answer.tokens, page))
  if (answer.tokens.length === 0) run.hint('No browser tokens yet: svc browser tokens issue makes one.')
}

/** Ends a token. */
export const revokeToken: Handler<object> = async (run) => {
  const answer = await run.operate<{ token: BrowserTokenView }>('browser-tokens.revoke', {
    token: run.arg(0),
  })
  run.print(answer, () => `${plain(answer.token.id)} is revoked\n`)
}
