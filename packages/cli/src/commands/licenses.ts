import type { LicenseView } from '@svc/core'
import type { Command } from 'commander'
import { given, type Handler } from '../program/command-run.ts'
import { idColumn } from '../terminal/id-column.ts'
import { ago, expiry, facts, instant, type Page, stateColour, table } from '../terminal/render.ts'
import { plain } from '../terminal/terminal.ts'
import { examples, operating, type Run } from './declare.ts'
import { declareRestrictions } from './license-restrictions.ts'
import { byId, listWithTenants, type NameOfTenant } from './tenant-names.ts'

/** `svc licenses …` */
export function declareLicenses(program: Command, run: Run): void {
  const licenses = program.command('licenses')
  const issue = operating(licenses, 'licenses.issue')
    .option('--tenant <tenant>', 'name or id of the tenant it belongs to')
    .option('--label <text>', 'its purpose')
    .option('--expires <iso>', 'when it ends, ISO-8601')
    .option('--tier <tier>', 'its tier: svc billing tiers lists them')
    .option('--contact <email>', 'the address for messages about it')
    .option('--agent-only', 'its key acts for hosts alone; the rest takes an API token of the tenant')
    .action(run(async () => issueLicense))
  examples(issue, 'svc licenses issue --tenant acme --label "web servers" --expires 2030-01-01')
  const list = operating(licenses, 'licenses.list').action(run(async () => listLicenses))
  examples(list, 'svc licenses list --json')
  const show = operating(licenses, 'licenses.show', '<license>').action(run(async () => showLicense))
  examples(show, 'svc licenses show "web servers"')
  const rename = operating(licenses, 'licenses.rename', '<license> <label>').action(
    run(async () => renameLicense),
  )
  examples(rename, 'svc licenses rename lic_01… "web servers"')
  const edit = operating(licenses, 'licenses.edit', '<license>')
    .option('--tier <tier>', 'its tier: svc billing tiers lists them')
    .option('--contact <email>', 'the address for messages about it')
    .action(run(async () => editLicense))
  examples(edit, 'svc licenses edit "web servers" --contact ann@example.com')
  const extend = operating(licenses, 'licenses.extend', '<license>')
    .option('--expires <iso>', 'when it ends, ISO-8601')
    .option('--never', 'it does not end')
    .action(run(async () => extendLicense))
  examples(extend, 'svc licenses extend "web servers" --expires 2031-01-01')
  declareRestrictions(licenses, run)
  for (const verb of ['suspend', 'reinstate', 'revoke'] as const) {
    const change = operating(licenses, `licenses.${verb}`, '<license>').action(
      run(async () => changeLicense(verb)),
    )
    examples(change, `svc licenses ${verb} lic_01…`)
  }
}

/** Licenses as people read them. */
export const licensesTable = (
  licenses: readonly LicenseView[],
  page: Page,
  nameOf: NameOfTenant = byId,
): string =>
  table(
    [
      idColumn(licenses, page),
      {
        title: 'STATUS',
        text: ({ status }) => status,
        colour: ({ status }) => stateColour(status),
      },
      { title: 'LABEL', narrow: 'shrinks', text: ({ label }) => label },
      {
        title: 'TENANT',
        narrow: 'leaves',
        text: ({ tenant_id }) => (tenant_id === undefined ? '' : nameOf(tenant_id)),
      },
      { title: 'EXPIRES', text: ({ expires_at }) => expiry(expires_at, page) },
      { title: 'CREATED', narrow: 'leaves', text: ({ created_at }) => ago(created_at, page) },
    ],
    licenses,
    page,
  )

/** Lists the issued licenses. */
export const listLicenses: Handler<object> = async (run) => {
  type Listed = { readonly licenses: readonly LicenseView[] }
  const rowsOf = ({ licenses }: Listed) => licenses
  const { answer, nameOf } = await listWithTenants(run, 'licenses.list', rowsOf)
  run.print(answer, (page) => licensesTable(answer.licenses, page, nameOf))
  if (answer.licenses.length === 0) run.hint('No licenses yet: svc licenses issue makes one.')
}

/** Flags of `svc licenses issue`. */
export interface IssueOptions {
  readonly tenant?: string
  readonly label?: string
  readonly expires?: string
  readonly tier?: string
  readonly contact?: string
  readonly agentOnly?: boolean
}

/** Issues a license and prints its key, which nobody can print again. */
export const issueLicense: Handler<IssueOptions> = async (run) => {
  const { tenant, label, expires, tier, contact, agentOnly } = run.options
  const input = given({ tenant, label, expires, tier, contact, agent_only: agentOnly })
  const answer = await run.operate<{ license: LicenseView; key: string }>('licenses.issue', input)
  run.print(answer, (page) => `${licensesTable([answer.license], page)}\nkey  ${plain(answer.key)}\n`)
  run.hint('The key is shown this once: store it now, for example in SERVICE_LICENSE_KEY of the agent.')
}

/** Shows one license. */
export const showLicense: Handler<object> = async (run) => {
  const answer = await run.operate<{ license: LicenseView; tenant?: string; hosts: number }>(
    'licenses.show',
    { license: run.arg(0) },
  )
  const { license, tenant, hosts } = answer
  run.print(answer, (page) =>
    facts(
      [
        ['id', license.id],
        ['label', license.label || undefined],
        ['status', license.status],
        ['by', license.status === 'active' ? undefined : license.status_reason],
        ['tier', license.tier],
        ['billing', license.billing_state],
        ['contact', license.contact_email],
        ['tenant', tenant],
        ['key may', license.agent_only ? 'act for hosts alone' : 'do all that the license may'],
        ['expires', license.expires_at === undefined ? 'never' : instant(license.expires_at, page)],
        ['created', instant(license.created_at, page)],
        ['hosts', String(hosts)],
      ],
      page,
    ),
  )
  if (hosts > 0) run.hint(`Its hosts: svc fleet servers --license ${license.id}`)
}

/** Gives a license another label. */
export const renameLicense: Handler<object> = async (run) => {
  const input = { license: run.arg(0), label: run.arg(1) }
  const answer = await run.operate<{ license: LicenseView }>('licenses.rename', input)
  run.print(answer, (page) => licensesTable([answer.license], page))
}

/** Flags of `svc licenses edit`. */
export type EditOptions = Pick<IssueOptions, 'tier' | 'contact'>

/** Gives a license another tier or contact. */
export const editLicense: Handler<EditOptions> = async (run) => {
  const { tier, contact } = run.options
  const input = given({ license: run.arg(0), tier, contact })
  const answer = await run.operate<{ license: LicenseView }>('licenses.edit', input)
  run.print(answer, (page) => licensesTable([answer.license], page))
}

/** Flags of `svc licenses extend`. */
export interface ExtendOptions {
  readonly expires?: string
  readonly never?: boolean
}

/** Moves the end of a license. */
export const extendLicense: Handler<ExtendOptions> = async (run) => {
  const { expires, never } = run.options
  const input = given({ license: run.arg(0), expires, never })
  const answer = await run.operate<{ license: LicenseView }>('licenses.extend', input)
  run.print(answer, (page) => licensesTable([answer.license], page))
}

/** Suspends, reinstates or revokes a license, named by its id, the end of it, its label or its key. */
export const changeLicense =
  (verb: 'suspend' | 'reinstate' | 'revoke'): Handler<object> =>
  async (run) => {
    const answer = await run.operate<{ license: LicenseView }>(`licenses.${verb}`, { license: run.arg(0) })
    run.print(answer, (page) => licensesTable([answer.license], page))
  }
