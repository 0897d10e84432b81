import type { RevisionView } from '@svc/core'
import type { SecurityView } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'
import { ago, facts, instant, type Page, table } from '../../terminal/render.ts'
import { wholeNumber } from '../number-option.ts'

/** Flags that name a host. */
export interface HostOptions {
  readonly license?: string
}

/** Shows the document of a host, and its outcome. */
export const showSecurity: Handler<HostOptions> = async (run) => {
  const input = given({ host: run.arg(0), license: run.options.license })
  const answer = await run.operate<SecurityView>('security.show', input)
  run.print(answer, (page) => securityText(answer, page))
  const { desired, job, drift } = answer
  if (desired.revision === 0)
    run.hint('Nothing was set: svc security set HOST -f FILE gives the host a firewall.')
  else if (drift && job?.state !== 'pending')
    run.hint('The host is not as it was told to be: svc security reapply HOST tries again.')
}

type Rule = RevisionView['settings']['firewall']['allow'][number]

const ruleText = ({ ports, proto, from, comment }: Rule): string =>
  [
    `${ports.join(',')}/${proto}`,
    ...(from === undefined ? [] : [`from ${from.join(', ')}`]),
    ...(comment ? [`(${comment})`] : []),
  ].join(' ')

function securityText({ fingerprint, desired, applied, job, drift }: SecurityView, page: Page): string {
  const { firewall, ssh, sysctl, auto_updates } = desired.settings
  const setBy = desired.updated_by === undefined ? '' : `, by ${desired.updated_by}`
  const at = desired.updated_at === undefined ? '' : ` set ${ago(desired.updated_at, page)}${setBy}`
  return facts(
    [
      ['host', fingerprint],
      ['revision', `${desired.revision}${at}`],
      ['applied', `${applied.revision} (${applied.state})`],
      ['drift', drift ? 'yes' : 'no'],
      ['attempt', instant(applied.at, page)],
      ['error', applied.error],
      ['job', job && `${job.id} ${job.state}`],
      ['firewall', firewall.enabled ? 'on' : 'off'],
      ...firewall.allow.map((rule) => ['allow', ruleText(rule)] as const),
      ['deny from', firewall.deny_from.join(', ') || undefined],
      ['trusted', firewall.trusted_interfaces.join(', ') || undefined],
      ['icmp', firewall.icmp ? 'yes' : 'as IPv6 needs'],
      ['ssh rate', firewall.ssh_rate_limit === 0 ? 'no limit' : `${firewall.ssh_rate_limit} a minute`],
      ['ssh passwords', ssh.password_auth],
      ['ssh of root', ssh.root_login],
      ['ssh tries', ssh.max_auth_tries === undefined ? undefined : String(ssh.max_auth_tries)],
      ['ssh users', ssh.allow_users?.join(', ')],
      ['sysctl', sysctl],
      ['updates', auto_updates],
    ],
    page,
  )
}

/** Flags of `svc security history`. */
export interface HistoryOptions extends HostOptions {
  readonly limit?: string
}

/** Lists the documents of a host. */
export const showHistory: Handler<HistoryOptions> = async (run) => {
  const { license, limit } = run.options
  const input = given({ host: run.arg(0), license, limit: wholeNumber('--limit', limit) })
  type Listed = { readonly revisions: readonly RevisionView[] }
  const answer = await run.operate<Listed>('security.history', input)
  run.print(answer, (page) => historyTable(answer.revisions, page))
}

const historyTable = (revisions: readonly RevisionView[], page: Page): string =>
  table(
    [
      { title: 'REVISION', text: ({ revision }) => String(revision) },
      { title: 'SET', text: ({ updated_at }) => ago(updated_at, page) },
      { title: 'BY', narrow: 'shrinks', text: ({ updated_by = '' }) => updated_by },
      { title: 'FIREWALL', text: ({ settings }) => (settings.firewall.enabled ? 'on' : 'off') },
      {
        title: 'ALLOWS',
        narrow: 'shrinks',
        text: ({ settings }) => settings.firewall.allow.map(ruleText).join('; '),
      },
      { title: 'SHA256', narrow: 'leaves', text: ({ sha256 }) => sha256.slice(0, 12) },
    ],
    revisions,
    page,
  )
