import { text } from 'node:stream/consumers'
import { given, type Handler } from '../../program/command-run.ts'
import { stateColour, table } from '../../terminal/render.ts'
import { plain } from '../../terminal/terminal.ts'

interface Synced {
  readonly synced: readonly { readonly id: string; readonly outcome: string; readonly reason?: string }[]
}

/** Fetches subscriptions from the payment provider, and applies their state. */
export const syncSubscriptions: Handler<object> = async (run) => {
  const answer = await run.operate<Synced>('billing.sync', { name: run.arg(0) })
  run.print(answer, (page) =>
    table(
      [
        { title: 'SUBSCRIPTION', text: ({ id }) => id },
        { title: 'OUTCOME', text: ({ outcome }) => outcome, colour: ({ outcome }) => stateColour(outcome) },
        { title: 'REASON', text: ({ reason }) => reason ?? '' },
      ],
      answer.synced,
      page,
    ),
  )
  if (answer.synced.length === 0) run.hint('No subscription of this license is known.')
}

interface Reconciled {
  readonly dry_run: boolean
  readonly drifts: readonly {
    readonly kind: string
    readonly subscription_id: string
    readonly license_id?: string
    readonly there?: string
    readonly here?: string
  }[]
}

/** Compares all subscriptions with the payment provider's. */
export const reconcile: Handler<{ readonly dryRun?: boolean }> = async (run) => {
  const answer = await run.operate<Reconciled>('billing.reconcile', given({ dry_run: run.options.dryRun }))
  run.print(answer, (page) =>
    table(
      [
        { title: 'DRIFT', text: ({ kind }) => kind },
        { title: 'SUBSCRIPTION', text: (each) => each.subscription_id },
        { title: 'LICENSE', narrow: 'shrinks', text: ({ license_id }) => license_id ?? '' },
        { title: 'PROVIDER', text: ({ there }) => there ?? 'none' },
        { title: 'HERE', text: ({ here }) => here ?? 'none' },
      ],
      answer.drifts,
      page,
    ),
  )
  if (answer.drifts.length === 0) run.hint('Nothing differs.')
  else if (answer.dry_run) run.hint('Nothing was changed: without --dry-run the differences are synced.')
}

/** Prints a header that signs the event on standard input. */
export const signTest: Handler<object> = async (run) => {
  const body = await text(run.io.input())
  const answer = await run.operate<{ header: string }>('billing.sign-test', { body })
  run.print(answer, () => `stripe-signature: ${plain(answer.header)}\n`)
}
