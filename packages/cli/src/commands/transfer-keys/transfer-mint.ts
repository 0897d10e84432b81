import type { TransferKeyView } from '@svc/core'
import { Problem } from '@svc/core/client'
import { type CommandRun, given, type Handler } from '../../program/command-run.ts'
import { plain } from '../../terminal/terminal.ts'
import { wholeNumber } from '../number-option.ts'
import { transferKeysTable } from './transfer-list.ts'

/** Flags of `svc transfer mint`. */
export interface MintOptions {
  readonly license?: string
  readonly from: string
  readonly to: string
  readonly mode?: string
  readonly maxUses?: string
  readonly ttl?: string
  readonly pin?: string
  readonly askPin?: boolean
  readonly app?: string
  readonly maxBytes?: string
  readonly quiet?: boolean
}

interface Minted {
  readonly key: TransferKeyView
  readonly secret: string
  readonly pin_required: boolean
}

/** Mints a key and shows it, which nobody can do again. */
export const mintKey: Handler<MintOptions> = async (run) => {
  const { out } = run.io
  const { quiet, json } = run.options
  if (!out.isTty && quiet !== true && json !== true) {
    throw new Problem('invalid-input', {
      detail: 'the key would go into a pipe or a file: --quiet prints it alone there, --json with the rest',
    })
  }
  const answer = await run.operate<Minted>('transfer.mint', await inputOf(run))
  if (quiet === true && json !== true) {
    out.write(`${plain(answer.secret)}\n`)
    return undefined
  }
  run.print(answer, (page) => `${transferKeysTable([answer.key], page)}\nkey  ${plain(answer.secret)}\n`)
  run.hint('The key is shown this once. Hand it to the host that connects, on standard input.')
  return undefined
}

async function inputOf(run: CommandRun<MintOptions>): Promise<Record<string, unknown>> {
  const { license, from, to, mode, app, maxUses, ttl, maxBytes } = run.options
  const scope = given({ app, max_bytes: wholeNumber('--max-bytes', maxBytes) })
  return given({
    license,
    from,
    to,
    mode,
    max_uses: wholeNumber('--max-uses', maxUses),
    ttl_s: wholeNumber('--ttl', ttl),
    pin: await pinOf(run),
    ...(Object.keys(scope).length === 0 ? {} : { scope }),
  })
}

const TLS_PIN = /^sha256[/:]/

async function pinOf({ io, options }: CommandRun<MintOptions>): Promise<string | undefined> {
  const { pin, askPin } = options
  if (pin !== undefined && !TLS_PIN.test(pin)) {
    throw new Problem('invalid-input', {
      detail:
        '--pin is the pin of a TLS key, sha256/…: every user can read arguments, so --ask-pin asks for a PIN',
    })
  }
  if (askPin !== true) return pin
  if (pin !== undefined) throw new Problem('invalid-input', { detail: 'either --pin or --ask-pin, not both' })
  return io.readSecret('PIN, 4 to 128 characters: ')
}
