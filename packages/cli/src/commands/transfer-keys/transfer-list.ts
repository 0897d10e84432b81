import type { TransferKeyView } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { ago, expiry, facts, instant, type Page, stateColour, table } from '../../terminal/render.ts'
import { plain } from '../../terminal/terminal.ts'
import { wholeNumber } from '../number-option.ts'

/** Transfer keys as people read them. */
export const transferKeysTable = (keys: readonly TransferKeyView[], page: Page): string =>
  table(
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'STATE', text: ({ state }) => state, colour: ({ state }) => stateColour(state) },
      { title: 'FROM', narrow: 'shrinks', text: (key) => key.source_fingerprint },
      { title: 'TO', narrow: 'shrinks', text: (key) => key.target_fingerprint },
      { title: 'MODE', narrow: 'leaves', text: ({ mode }) => mode },
      { title: 'USES', text: ({ uses, max_uses }) => `${uses} of ${max_uses}` },
      { title: 'PIN', narrow: 'leaves', text: ({ pin_kind }) => pin_kind },
      { title: 'EXPIRES', text: ({ expires_at }) => expiry(expires_at, page) },
    ],
    keys,
    page,
  )

/** Flags of `svc transfer list`. */
export interface ListOptions {
  readonly license?: string
  readonly limit?: string
}

/** Lists transfer keys. */
export const listKeys: Handler<ListOptions> = async (run) => {
  const { license, limit } = run.options
  const input = given({ license, limit: wholeNumber('--limit', limit) })
  const answer = await run.operate<{ keys: readonly TransferKeyView[] }>('transfer.list', input)
  run.print(answer, (page) => transferKeysTable(answer.keys, page))
  if (answer.keys.length === 0)
    run.hint('No transfer keys: svc transfer mint --from HOST --to HOST makes one.')
}

interface Shown {
  readonly key: TransferKeyView
  readonly uses: readonly {
    readonly transfer_id: string
    readonly at: number
    readonly caller_fingerprint: string
    readonly peer_fingerprint: string
  }[]
}

const keyFacts = (key: TransferKeyView, page: Page): string =>
  facts(
    [
      ['id', key.id],
      ['state', key.state],
      ['license', key.license_id],
      ['from', key.source_fingerprint],
      ['to', key.target_fingerprint],
      ['mode', key.mode],
      ['uses', `${key.uses} of ${key.max_uses}`],
      ['pin', key.pin_spki ?? key.pin_kind],
      ['wrong PINs', key.pin_kind === 'secret' ? String(key.pin_fails) : undefined],
      ['scope', key.scope === undefined ? undefined : JSON.stringify(key.scope)],
      ['created', instant(key.created_at, page)],
      ['expires', expiry(key.expires_at, page)],
      ['last used', instant(key.last_used_at, page)],
      ['revoked', instant(key.revoked_at, page)],
    ],
    page,
  )

const sessionsTable = (uses: Shown['uses'], page: Page): string =>
  table(
    [
      { title: 'SESSION', text: (use) => use.transfer_id },
      { title: 'OPENED', text: ({ at }) => ago(at, page) },
      { title: 'LISTENING', narrow: 'shrinks', text: (use) => use.caller_fingerprint },
      { title: 'CONNECTING', narrow: 'shrinks', text: (use) => use.peer_fingerprint },
    ],
    uses,
    page,
  )

/** Shows one transfer key. */
export const showKey: Handler<object> = async (run) => {
  const answer = await run.operate<Shown>('transfer.show', { key: run.arg(0) })
  const { key, uses } = answer
  run.print(answer, (page) =>
    uses.length === 0 ? keyFacts(key, page) : `${keyFacts(key, page)}\n${sessionsTable(uses, page)}`,
  )
}

/** Ends a transfer key. */
export const revokeKey: Handler<object> = async (run) => {
  const answer = await run.operate<{ key: TransferKeyView }>('transfer.revoke', { key: run.arg(0) })
  run.print(answer, () => `${plain(answer.key.id)} is revoked\n`)
}
