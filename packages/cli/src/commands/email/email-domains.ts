import type { EmailDomainView } from '@svc/core'
import type { DomainHealthView } from '@svc/core/adapters'
import { shellWord } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import type { ExitCode } from '../../terminal/failure.ts'
import { ago, facts, instant, type Page, stateColour, table } from '../../terminal/render.ts'
import { plain } from '../../terminal/terminal.ts'
import { wholeNumber } from '../number-option.ts'

/** Flags of the commands on sending domains. */
export interface DomainOptions {
  readonly license?: string
  readonly limit?: string
  readonly cursor?: string
  readonly zone?: boolean
}

type RecordView = EmailDomainView['records'][number]
interface One {
  readonly domain: EmailDomainView
}

// A string of a TXT record has 255 characters at most.
const STRINGS = /.{1,255}/g

const domainsTable = (domains: readonly EmailDomainView[], page: Page): string =>
  table(
    [
      { title: 'NAME', narrow: 'shrinks', text: ({ name }) => name },
      { title: 'STATUS', text: ({ status }) => status, colour: ({ status }) => stateColour(status) },
      { title: 'WRONG', narrow: 'shrinks', text: ({ records }) => wrongText(records) },
      { title: 'CHECKED', text: ({ checked_at }) => (checked_at === 0 ? 'never' : ago(checked_at, page)) },
      { title: 'OWNER', narrow: 'leaves', text: ({ license_id }) => license_id ?? 'platform' },
      { title: 'ID', text: ({ id }) => id },
    ],
    domains,
    page,
  )

const wrongText = (records: readonly RecordView[]): string =>
  records
    .filter(({ required, status }) => required && status !== 'verified')
    .map(({ record, status }) => `${record} ${status}`)
    .join(', ')

function domainText({ domain }: One, page: Page): string {
  const { id, name, status, license_id: owner = 'platform', verified_at, checked_at, records } = domain
  const head = facts(
    [
      ['id', id],
      ['name', name],
      ['owner', owner],
      ['status', status],
      ['verified', verified_at === 0 ? 'never' : instant(verified_at, page)],
      ['checked', checked_at === 0 ? 'never' : instant(checked_at, page)],
    ],
    page,
  )
  return [head, ...records.map((record) => recordText(record, page))].join('\n')
}

const recordText = ({ record, type, host, value, status, detail, found, required }: RecordView, page: Page) =>
  facts(
    [
      [plain(record), `${status}${required ? '' : ' (not required)'}`],
      ['type', type],
      ['host', host],
      ['value', value],
      ['detail', detail],
      ['found', found === undefined || found.length === 0 ? undefined : found.join('\n')],
    ],
    page,
  )

/** The records as lines of a zone file, as BIND and others read them. */
export function zoneLines(records: readonly RecordView[]): string {
  const strings = (value: string) => value.match(STRINGS) ?? []
  const quoted = (value: string) => strings(value).map((each) => `"${each}"`)
  return records
    .filter(({ value }) => value !== undefined)
    .map(({ name, type, value = '' }) => `${name}. 3600 IN ${type} ${quoted(value).join(' ')}\n`)
    .join('')
}

const printDomain = (run: Parameters<Handler<DomainOptions>>[0], answer: One): void =>
  run.print(answer, (page) => (run.options.zone ? plainLines(answer) : domainText(answer, page)))

const plainLines = ({ domain }: One): string =>
  zoneLines(domain.records)
    .split('\n')
    .map((line) => plain(line))
    .join('\n')

/** Lists sending domains. */
export const listDomains: Handler<DomainOptions> = async (run) => {
  const { license, limit, cursor } = run.options
  const input = given({ license, cursor, limit: wholeNumber('--limit', limit) })
  const answer = await run.operate<{ domains: readonly EmailDomainView[]; next_cursor?: string }>(
    'email-domains.list',
    input,
    true,
  )
  run.print(answer, (page) => domainsTable(answer.domains, page))
  if (answer.domains.length === 0) run.hint('No sending domains yet: svc email domains add NAME adds one.')
  if (answer.next_cursor !== undefined) run.hint(`There are more: --cursor ${shellWord(answer.next_cursor)}`)
}

/** Adds a domain and shows the records to publish. */
export const addDomain: Handler<DomainOptions> = async (run) => {
  const input = given({ name: run.arg(0), license: run.options.license })
  const answer = await run.operate<One>('email-domains.add', input, true)
  printDomain(run, answer)
  run.hint(`Publish the records, then: svc email domains verify ${plain(answer.domain.id)}`)
}

/** Shows a domain. */
export const showDomain: Handler<DomainOptions> = async (run) => {
  printDomain(run, await run.operate<One>('email-domains.show', { id: run.arg(0) }))
}

/** Looks up the records of a domain; exit code 1 unless all that are required are there. */
export const verifyDomain: Handler<DomainOptions> = async (run): Promise<ExitCode | undefined> => {
  const input = given({ id: run.arg(0), license: run.options.license })
  const answer = await run.operate<One & { verified: boolean; changed: boolean }>(
    'email-domains.verify',
    input,
    true,
  )
  printDomain(run, answer)
  return answer.verified ? undefined : 1
}

/** Makes the next DKIM key of a domain. */
export const rotateDkim: Handler<DomainOptions> = async (run) => {
  printDomain(run, await run.operate<One>('email-domains.rotate-dkim', { id: run.arg(0) }))
  run.hint(
    'The present key signs until a check finds the new record; leave the old one for a week after that.',
  )
}

/** Removes a domain. */
export const removeDomain: Handler<DomainOptions> = async (run) => {
  const answer = await run.operate<One>('email-domains.remove', { id: run.arg(0) })
  run.print(answer, () => `${plain(answer.domain.name)} is removed\n`)
}

/** Tells how messages of a domain fared; exit code 1 when something of it is critical. */
export const domainHealth: Handler<DomainOptions> = async (run): Promise<ExitCode | undefined> => {
  const input = given({ id: run.arg(0), license: run.options.license })
  const answer = await run.operate<DomainHealthView>('email-domains.health', input, true)
  const { name, status, sent, accepted, deferred, bounced, suppressed, bounce_rate, issues } = answer
  run.print(answer, (page) =>
    facts(
      [
        ['name', name],
        ['status', status],
        ['sent', `${sent} in ${answer.window_days} days`],
        ['accepted', String(accepted)],
        ['deferred', String(deferred)],
        ['bounced', `${bounced} (${Math.round(bounce_rate * 1000) / 10} %)`],
        ['suppressed', String(suppressed)],
        ['issues', issues.map(({ severity, message }) => `${severity}: ${message}`).join('\n') || 'none'],
      ],
      page,
    ),
  )
  return issues.some(({ severity }) => severity === 'critical') ? 1 : undefined
}
