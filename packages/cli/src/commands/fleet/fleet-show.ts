import type { HostView } from '@svc/core'
import { shellWord } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { duration } from '../../terminal/duration.ts'
import { ago, facts, instant, type Page } from '../../terminal/render.ts'
import type { FleetOptions } from './fleet-servers.ts'

const percent = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : `${Math.round(10 * value) / 10} %`

function diskText({ disk_pct, disk_total_gb }: HostView): string | undefined {
  const parts = [percent(disk_pct), disk_total_gb === undefined ? undefined : `of ${disk_total_gb} GB`]
  return parts.filter((part) => part !== undefined).join(' ') || undefined
}

/** A time that is ahead has no age; `ahead` says that there is one. */
function resultText(
  at: number | undefined,
  isGood: boolean | undefined,
  ahead: number | undefined,
  page: Page,
): string | undefined {
  if (!at) return undefined
  const result = isGood === undefined ? '' : isGood ? ': ok' : ': failed'
  if (ahead !== undefined && at * 1000 > page.now.getTime()) return `dated ahead of our clock${result}`
  return [instant(Math.floor(at), page), result].join('')
}

function clockText({ clock_ahead_seconds: ahead }: HostView): string | undefined {
  return ahead === undefined ? undefined : `wrong: its times are ${duration(ahead)} ahead of ours`
}

function kindsText({ kinds }: HostView): string {
  if (kinds === undefined) return 'the agent does not say'
  return kinds.length === 0 ? 'none' : kinds.join(', ')
}

function jobTexts({ jobs }: HostView, page: Page): readonly (readonly [string, string])[] {
  if (jobs.length === 0) return [['jobs', 'none']]
  return jobs.map(({ id, kind, app, state, claimed_at }, index) => {
    const words = [kind, ...(app === undefined ? [] : [app])].join(' ')
    return [index === 0 ? 'jobs' : '', `${id} (${words}, ${state}, taken ${ago(claimed_at, page)})`]
  })
}

/** One host with everything that is known of it. */
export const hostFacts = (host: HostView, page: Page): string =>
  facts(
    [
      ['id', host.id],
      ['hostname', host.hostname],
      ['label', host.label || undefined],
      ['state', host.state],
      ['drained', instant(host.drained_at, page) ?? 'no'],
      ['last heartbeat', host.last_heartbeat === 0 ? 'never' : instant(host.last_heartbeat, page)],
      ['first seen', instant(host.first_seen_at, page)],
      ['license', [host.license_id, host.license_label].filter((text) => text !== undefined).join(': ')],
      ['org', host.org || undefined],
      ['fingerprint', host.fingerprint],
      ['version', host.version || undefined],
      ['cpu', percent(host.cpu_pct)],
      ['memory', percent(host.mem_pct)],
      ['disk', diskText(host)],
      ['last backup', resultText(host.last_capture_at, host.capture_success, host.clock_ahead_seconds, page)],
      ['last drill', resultText(host.last_drill_at, host.drill_pass, host.clock_ahead_seconds, page)],
      ['clock', clockText(host)],
      ['runs', kindsText(host)],
      ['at a time', host.concurrency === undefined ? undefined : String(host.concurrency)],
      ...jobTexts(host, page),
    ],
    page,
  )

/** Shows everything that is known of one host. */
export const showHost: Handler<FleetOptions> = async (run) => {
  const input = given({ host: run.arg(0), license: run.options.license })
  const answer = await run.operate<{ server: HostView }>('fleet.show', input)
  run.print(answer, (page) => hostFacts(answer.server, page))
  const { id } = answer.server
  run.hint(`Its jobs: svc jobs list --host ${shellWord(id)} --license ${answer.server.license_id}`)
}
