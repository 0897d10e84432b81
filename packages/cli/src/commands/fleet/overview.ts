import type { Command } from 'commander'
import { OPERATION_SUMMARIES } from '../../connect/operation-summaries.ts'
import type { Handler } from '../../program/command-run.ts'
import { duration } from '../../terminal/duration.ts'
import { facts } from '../../terminal/render.ts'
import { examples, type Run, reaching } from '../declare.ts'

/** The figures of a control plane. */
interface Figures {
  readonly hosts: Readonly<Record<'up' | 'silent' | 'draining', number>>
  readonly jobs: Readonly<Record<'running' | 'waiting' | 'oldest_seconds' | 'failed', number>>
  readonly alerts: Readonly<Record<'critical' | 'warning', number>>
  readonly apps: Readonly<Record<'troubled', number>>
  readonly backups: Readonly<Record<'late' | 'late_drills', number>>
  readonly system?: {
    readonly checked_at: number
    readonly findings: readonly { readonly name: string; readonly detail?: string }[]
  }
}

/** `svc overview` */
export function declareOverview(program: Command, run: Run): void {
  const overview = reaching(program.command('overview').description(OPERATION_SUMMARIES['overview.show']))
  overview.action(run(async () => showOverview))
  examples(overview, 'svc overview')
}

function systemWords({ findings }: NonNullable<Figures['system']>): string {
  if (findings.length === 0) return 'nothing to see to'
  const words = findings.map(({ name, detail }) => (detail === undefined ? name : `${name} ${detail}`))
  return `${words.join(', ')}: see svc doctor`
}

const showOverview: Handler<object> = async (run) => {
  const figures = await run.operate<Figures>('overview.show', {})
  const { hosts, jobs, alerts, apps, backups, system } = figures
  const oldest = jobs.waiting > 0 ? `, the oldest for ${duration(jobs.oldest_seconds)}` : ''
  run.print(figures, (page) =>
    facts(
      [
        ['hosts', `${hosts.up} up, ${hosts.silent} silent, ${hosts.draining} draining`],
        ['jobs', `${jobs.running} running, ${jobs.waiting} waiting${oldest}, ${jobs.failed} failed in a day`],
        ['alerts', `${alerts.critical} critical, ${alerts.warning} others firing`],
        ['apps', `${apps.troubled} with an instance that is missing`],
        ['backups', `${backups.late} hosts late, ${backups.late_drills} with late drills`],
        ...(system === undefined ? [] : [['system', systemWords(system)] as const]),
      ],
      page,
    ),
  )
}
