import type { CatalogView } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'
import { type Page, table } from '../../terminal/render.ts'
import { plain } from '../../terminal/terminal.ts'

const catalogTable = (catalog: readonly CatalogView[], page: Page): string =>
  table(
    [
      { title: 'PLAN', text: ({ plan }) => plan },
      { title: 'PROVIDER', text: ({ provider }) => provider },
      { title: 'TYPE', text: ({ server_type }) => server_type },
      { title: 'IMAGE', narrow: 'shrinks', text: ({ image }) => image },
      { title: 'LOCATIONS', narrow: 'shrinks', text: ({ locations }) => locations.join(', ') },
      { title: 'AT MOST', text: ({ max_monthly }) => max_monthly },
      { title: 'ORDERS', text: ({ enabled }) => (enabled ? 'yes' : 'no') },
    ],
    catalog,
    page,
  )

/** Lists the catalogue. */
export const listCatalog: Handler<object> = async (run) => {
  const answer = await run.operate<{ catalog: readonly CatalogView[] }>('provision-catalog.list', {})
  run.print(answer, (page) => catalogTable(answer.catalog, page))
  if (answer.catalog.length === 0) run.hint('No plans yet: svc provision catalog set --help shows how.')
}

/** Flags of `svc provision catalog set`. */
export interface CatalogOptions {
  readonly provider?: string
  readonly serverType?: string
  readonly location?: readonly string[]
  readonly image?: string
  readonly sshKey?: readonly string[]
  readonly maxMonthly?: string
  readonly disabled?: boolean
}

/** Sets a provider's offer for a plan. */
export const setCatalog: Handler<CatalogOptions> = async (run) => {
  const { provider = 'hetzner', serverType, location, image, sshKey, maxMonthly, disabled } = run.options
  const input = given({
    plan: run.arg(0),
    provider,
    server_type: serverType,
    locations: location,
    image,
    ssh_keys: sshKey,
    max_monthly: maxMonthly,
    enabled: disabled !== true,
  })
  const answer = await run.operate<{ entry: CatalogView }>('provision-catalog.set', input)
  run.print(answer, (page) => catalogTable([answer.entry], page))
}

/** Removes a plan. */
export const removeCatalog: Handler<CatalogOptions> = async (run) => {
  const { provider = 'hetzner' } = run.options
  const answer = await run.operate('provision-catalog.remove', { plan: run.arg(0), provider })
  run.print(answer, () => plain(`${run.arg(0)} at ${provider} was removed`).concat('\n'))
}
