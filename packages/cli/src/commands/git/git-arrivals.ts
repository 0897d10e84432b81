import type { GitHookView } from '@svc/core'
import type { GitDeliveryView } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'
import { EXIT } from '../../terminal/failure.ts'
import { ago, type Page, table } from '../../terminal/render.ts'
import { plain } from '../../terminal/terminal.ts'
import { hintMore } from '../hint-more.ts'
import { wholeNumber } from '../number-option.ts'
import type { HookOptions } from './git-hooks-show.ts'

const SHORT_SHA = 12

const deliveriesTable = (deliveries: readonly GitDeliveryView[], page: Page): string =>
  table(
    [
      { title: 'WHEN', text: ({ at }) => ago(at, page) },
      {
        title: 'OUTCOME',
        text: ({ ignored, outcome }) => ignored ?? outcome,
        colour: ({ outcome }) => (outcome === 'accepted' ? 'green' : undefined),
      },
      { title: 'REF', narrow: 'shrinks', text: ({ ref }) => ref },
      { title: 'COMMIT', text: ({ sha }) => (sha ?? '').slice(0, SHORT_SHA) },
      { title: 'JOB', text: ({ job_id }) => job_id ?? '' },
      { title: 'FROM', narrow: 'leaves', text: ({ provider }) => provider },
      { title: 'DELIVERY', narrow: 'leaves', text: ({ delivery_id }) => delivery_id },
    ],
    deliveries,
    page,
  )

/** Lists the deliveries to a hook. */
export const listDeliveries: Handler<
  HookOptions & { readonly limit?: string; readonly cursor?: string }
> = async (run) => {
  const { license, limit, cursor } = run.options
  const input = given({ id: run.arg(0), license, limit: wholeNumber('--limit', limit), cursor })
  const answer = await run.operate<{
    hook: GitHookView
    deliveries: readonly GitDeliveryView[]
    next_cursor?: string
  }>('git.deliveries', input)
  run.print(answer, (page) => deliveriesTable(answer.deliveries, page))
  hintMore(run, answer)
  if (answer.deliveries.length === 0)
    run.hint(`Nothing has arrived yet: svc git test ${answer.hook.app} --sha COMMIT tries the address.`)
}

/** Sends a delivery to a hook by its own address; fails when it does not arrive. */
export const testHook: Handler<HookOptions & { readonly sha: string; readonly ref?: string }> = async (
  run,
) => {
  const { license, sha, ref } = run.options
  const input = given({ id: run.arg(0), license, sha, ref })
  const answer = await run.operate<{
    delivered: boolean
    http_status?: number
    answer?: string
    advice?: string
    error?: string
  }>('git.test', input)
  const { delivered, http_status: status, answer: said, advice, error } = answer
  const words = plain([status, said, error].filter(Boolean).join(' '))
  run.print(answer, () => `${delivered ? 'delivered' : 'not delivered'}: ${words}\n`)
  if (advice !== undefined) run.hint(advice)
  return delivered ? EXIT.done : EXIT.failed
}
