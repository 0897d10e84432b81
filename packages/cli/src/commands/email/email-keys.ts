import type { EmailKeyView } from '@svc/core/adapters'
import { shellWord } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { ago, expiry, type Page, table } from '../../terminal/render.ts'
import { plain } from '../../terminal/terminal.ts'
import { secondOf, wholeNumber } from '../number-option.ts'

/** Flags of the commands on sending keys. */
export interface KeyOptions {
  readonly license?: string
  readonly domain?: string
  readonly expires?: string
  readonly limit?: string
  readonly cursor?: string
}

const keysTable = (keys: readonly EmailKeyView[], page: Page): string =>
  table(
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'NAME', narrow: 'shrinks', text: ({ name }) => name },
      { title: 'BEGINS', text: ({ prefix }) => prefix },
      { title: 'DOMAIN', narrow: 'leaves', text: ({ domain_id }) => domain_id ?? 'any' },
      { title: 'OWNER', narrow: 'leaves', text: ({ license_id }) => license_id ?? 'platform' },
      {
        title: 'LAST USED',
        text: ({ last_used_at }) => (last_used_at === 0 ? 'never' : ago(last_used_at, page)),
      },
      { title: 'EXPIRES', text: ({ expires_at }) => expiry(expires_at === 0 ? undefined : expires_at, page) },
    ],
    keys,
    page,
  )

/** Makes a key and prints it, which nobody can do again. */
export const createKey: Handler<KeyOptions> = async (run) => {
  const { license, domain, expires } = run.options
  const expires_at = secondOf('--expires', expires)
  const input = given({ name: run.arg(0), license, domain_id: domain, expires_at })
  const answer = await run.operate<{ key: EmailKeyView; token: string }>('email-keys.create', input, true)
  run.print(answer, (page) => `${keysTable([answer.key], page)}\ntoken  ${plain(answer.token)}\n`)
  run.hint('The token is shown this once: give it to the program that sends.')
}

/** Lists the keys. */
export const listKeys: Handler<KeyOptions> = async (run) => {
  const { license, limit, cursor } = run.options
  const input = given({ license, cursor, limit: wholeNumber('--limit', limit) })
  const answer = await run.operate<{ keys: readonly EmailKeyView[]; next_cursor?: string }>(
    'email-keys.list',
    input,
    true,
  )
  run.print(answer, (page) => keysTable(answer.keys, page))
  if (answer.keys.length === 0) run.hint('No sending keys yet: svc email keys create NAME makes one.')
  if (answer.next_cursor !== undefined) run.hint(`There are more: --cursor ${shellWord(answer.next_cursor)}`)
}

/** Shows a key. */
export const showKey: Handler<KeyOptions> = async (run) => {
  const input = given({ id: run.arg(0), license: run.options.license })
  const answer = await run.operate<{ key: EmailKeyView }>('email-keys.show', input, true)
  run.print(answer, (page) => keysTable([answer.key], page))
}

/** Ends a key. */
export const revokeKey: Handler<KeyOptions> = async (run) => {
  const input = given({ id: run.arg(0), license: run.options.license })
  const answer = await run.operate('email-keys.revoke', input, true)
  run.print(answer, () => `${plain(run.arg(0))} is revoked\n`)
}
