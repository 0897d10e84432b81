import type { OperatorServer } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { ago, type Page, stateColour, table } from '../../terminal/render.ts'

/** Flags that narrow a fleet read. */
export interface FleetOptions {
  readonly license?: string
  readonly host?: string
  readonly force?: boolean
}

/** Hosts as people read them. */
export const serversTable = (servers: readonly OperatorServer[], page: Page): string =>
  table(
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'HOSTNAME', narrow: 'shrinks', text: ({ hostname }) => hostname },
      {
        title: 'STATE',
        text: ({ state, drained }) => (drained ? `${state}, drained` : state),
        colour: ({ state }) => stateColour(state),
      },
      { title: 'LAST HEARTBEAT', text: (row) => ago(row.last_heartbeat, page) },
      { title: 'VERSION', narrow: 'leaves', text: ({ version }) => version },
      { title: 'LABEL', narrow: 'shrinks', text: ({ label }) => label },
      { title: 'ORG', narrow: 'leaves', text: ({ org }) => org },
    ],
    servers,
    page,
  )

/** One key carries about thirty heartbeats a minute: above this many hosts a second license is due. */
const HOSTS_PER_LICENSE = 25

/** Lists the hosts. */
export const listServers: Handler<FleetOptions> = async (run) => {
  const { license } = run.options
  const answer = await run.operate<{ servers: readonly OperatorServer[] }>(
    'fleet.servers',
    given({ license }),
    true,
  )
  run.print(answer, (page) => serversTable(answer.servers, page))
  const { length } = answer.servers
  if (length === 0) run.hint('No hosts yet: svc agent run on a host attaches it.')
  const isOneLicense = license !== undefined || run.options.url !== undefined
  if (isOneLicense && length > HOSTS_PER_LICENSE) {
    run.hint(
      `${length} hosts share one license, which carries about 30 heartbeats a minute: issue another for some.`,
    )
  }
}
