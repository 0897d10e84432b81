import type { SurfaceFindingView } from '@svc/core'
import type { SurfaceScanView, SurfaceTargetView } from '@svc/core/adapters'
import { ago, facts, instant, type Page, stateColour, table } from '../../terminal/render.ts'
import type { Colour } from '../../terminal/terminal.ts'

const SEVERITY_COLOURS: Readonly<Record<string, Colour>> = { high: 'red', medium: 'yellow' }

/** The line to put into the zone of a domain. */
export const recordLine = ({ challenge }: Pick<SurfaceTargetView, 'challenge'>): string =>
  `${challenge.name}. IN TXT "${challenge.value}"`

const openOf = ({ last_scan: last }: SurfaceTargetView): string =>
  last === undefined
    ? ''
    : Object.entries(last.open_findings)
        .filter(([, count]) => count > 0)
        .map(([severity, count]) => `${count} ${severity}`)
        .join(', ') || 'none'

/** Targets as people read them. */
export const targetsTable = (targets: readonly SurfaceTargetView[], page: Page): string =>
  table(
    [
      { title: 'DOMAIN', text: ({ domain }) => domain },
      {
        title: 'OWNERSHIP',
        text: ({ verified, reason }) => (verified ? 'proven' : (reason ?? 'not proven')),
        colour: ({ verified }) => (verified ? 'green' : 'yellow'),
      },
      {
        title: 'LAST SCAN',
        text: ({ last_scan: last }) => last?.state ?? 'never',
        colour: ({ last_scan: last }) => stateColour(last?.state ?? ''),
      },
      { title: 'OPEN', narrow: 'shrinks', text: openOf },
      { title: 'LICENSE', narrow: 'leaves', text: ({ license_id: license }) => license },
    ],
    targets,
    page,
  )

/** One target as people read it, with the record to publish. */
export const targetFacts = (target: SurfaceTargetView, page: Page): string =>
  facts(
    [
      ['domain', target.domain],
      ['license', target.license_id],
      ['ownership', target.verified ? `proven since ${instant(target.verified_at, page)}` : 'not proven'],
      ['reason', target.reason],
      ['record', recordLine(target)],
      ['looked up', instant(target.checked_at, page)],
      ['open findings', target.last_scan === undefined ? undefined : openOf(target)],
    ],
    page,
  )

interface FoundRow {
  readonly severity: string
  readonly id: string
  readonly host: string
  readonly url?: string | undefined
  readonly status?: string | undefined
  readonly evidence: string
  readonly first_seen_at?: number | undefined
}

const findingColumns = (page: Page) => [
  {
    title: 'SEVERITY',
    text: ({ severity }: FoundRow) => severity,
    colour: ({ severity }: FoundRow) => SEVERITY_COLOURS[severity],
  },
  { title: 'FINDING', text: ({ id }: FoundRow) => id },
  { title: 'WHERE', narrow: 'shrinks' as const, text: ({ url, host }: FoundRow) => url ?? host },
  { title: 'EVIDENCE', narrow: 'leaves' as const, text: ({ evidence }: FoundRow) => evidence },
  { title: 'STATUS', text: ({ status = 'open' }: FoundRow) => status },
  { title: 'SINCE', narrow: 'leaves' as const, text: (row: FoundRow) => ago(row.first_seen_at, page) },
]

/** Findings as people read them. */
export const findingsTable = (findings: readonly SurfaceFindingView[], page: Page): string =>
  table(findingColumns(page), findings, page)

interface SeenHostRow {
  readonly name: string
  readonly ips: readonly { readonly ip: string; readonly attested: boolean; readonly cdn: string | null }[]
  readonly ports: readonly { readonly port: number; readonly service: string }[]
}

const addressesOf = ({ ips }: SeenHostRow): string =>
  ips
    .map(({ ip, attested, cdn }) => `${ip}${cdn === null ? '' : ` (${cdn})`}${attested ? '' : ' *'}`)
    .join(', ')

/** A scan as people read it: its facts, hosts and findings. */
export function scanText(scan: SurfaceScanView, page: Page): string {
  const head = facts(
    [
      ['scan', scan.id],
      ['state', scan.state],
      ['progress', scan.state === 'running' ? `${Math.round(scan.progress * 100)} %` : undefined],
      ['error', scan.error],
      ['began', instant(scan.started_at, page)],
      ['ended', instant(scan.finished_at, page)],
      ...scan.errors.map((each) => ['not done', `${each.check}: ${each.source} ${each.error}`] as const),
      ...scan.skipped.map(({ host, reason }) => ['skipped', `${host}: ${reason}`] as const),
    ],
    page,
  )
  const hosts = scan.hosts as unknown as readonly SeenHostRow[]
  const seen = table(
    [
      { title: 'HOST', text: ({ name }: SeenHostRow) => name },
      { title: 'ADDRESSES', narrow: 'shrinks', text: addressesOf },
      {
        title: 'OPEN PORTS',
        text: ({ ports }: SeenHostRow) => ports.map(({ port, service }) => `${port} ${service}`).join(', '),
      },
    ],
    hosts,
    page,
  )
  const found = table(findingColumns(page), scan.findings, page)
  return [head, ...(hosts.length > 0 ? [seen] : []), ...(scan.findings.length > 0 ? [found] : [])].join('\n')
}
