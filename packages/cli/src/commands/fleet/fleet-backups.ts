import type { FleetBackup } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { ago, type Page, table } from '../../terminal/render.ts'
import type { FleetOptions } from './fleet-servers.ts'

/** Which of a host's times is ahead: the plane says that one is. Such a time has no age. */
function age(at: number, { clock_ahead_seconds: ahead }: FleetBackup, page: Page): string {
  return ahead !== undefined && at * 1000 > page.now.getTime() ? 'ahead of our clock' : ago(at, page)
}

const verdict = (at: number, good: boolean): string => (at === 0 ? '' : good ? 'ok' : 'failed')
const colour = (at: number, good: boolean) =>
  at === 0 ? undefined : good ? ('green' as const) : ('red' as const)

const backupsTable = (backups: readonly FleetBackup[], page: Page): string =>
  table(
    [
      { title: 'HOSTNAME', narrow: 'shrinks', text: ({ hostname }) => hostname },
      { title: 'LAST CAPTURE', text: (row) => age(row.last_capture_at, row, page) },
      {
        title: 'RESULT',
        text: (row) => verdict(row.last_capture_at, row.success),
        colour: (row) => colour(row.last_capture_at, row.success),
      },
      { title: 'LAST DRILL', text: (row) => age(row.last_drill_at, row, page) },
      {
        title: 'DRILL',
        text: (row) => verdict(row.last_drill_at, row.drill_pass),
        colour: (row) => colour(row.last_drill_at, row.drill_pass),
      },
    ],
    backups,
    page,
  )

/** Lists the backups of the hosts. */
export const listBackups: Handler<FleetOptions> = async (run) => {
  const { license, host } = run.options
  const input = given({ license, host })
  const answer = await run.operate<{ backups: readonly FleetBackup[] }>('fleet.backups', input, true)
  run.print(answer, (page) => backupsTable(answer.backups, page))
  const wrong = answer.backups.filter((row) => row.clock_ahead_seconds !== undefined)
  if (wrong.length > 0)
    run.hint('The clock of a host is wrong that dates its backups ahead of ours: their age is not known.')
  if (answer.backups.length > 0) return
  run.hint(
    host === undefined
      ? 'No hosts yet: svc agent run on a host attaches it.'
      : `No host has the hostname ${host}.`,
  )
}
