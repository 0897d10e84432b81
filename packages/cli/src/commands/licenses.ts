import type { LicenseView } from '@svc/core'
import type { Command } from 'commander'
import { given, type Handler } from '../program/command-run.ts'
import { ago, duration, type Page, stateColour, table } from '../terminal/render.ts'
import { plain } from '../terminal/terminal.ts'
import { examples, operating, type Run } from './declare.ts'

/** `svc licenses …` */
export function declareLicenses(program: Command, run: Run): void {
  const licenses = program.command('licenses')
  const issue = operating(licenses, 'licenses.issue')
    .option('--tenant <tenant>', 'name or id of the tenant it belongs to')
    .option('--label <text>', 'what it is for')
    .option('--expires <iso>', 'when it ends, ISO-8601')
    .action(run(async () => issueLicense))
  examples(issue, 'svc licenses issue --tenant acme --label "web servers" --expires 2030-01-01')
  const list = operating(licenses, 'licenses.list').action(run(async () => listLicenses))
  examples(list, 'svc licenses list --json')
  for (const verb of ['suspend', 'reinstate', 'revoke'] as const) {
    const change = operating(licenses, `licenses.${verb}`, '<id>').action(
      run(async () => changeLicense(verb)),
    )
    examples(change, `svc licenses ${verb} lic_01…`)
  }
}

/** Licenses as people read them. */
export const licensesTable = (licenses: readonly LicenseView[], page: Page): string =>
  table(
    [
      { title: 'ID', text: ({ id }) => id },
      {
        title: 'STATUS',
        text: (row) => statusOf(row, page),
        colour: (row) => stateColour(statusOf(row, page)),
      },
      { title: 'LABEL', text: ({ label }) => label },
      { title: 'TENANT', text: ({ tenant_id }) => tenant_id ?? '' },
      { title: 'EXPIRES', text: ({ expires_at }) => expiry(expires_at, page) },
      { title: 'CREATED', text: ({ created_at }) => ago(created_at, page) },
    ],
    licenses,
    page,
  )

const seconds = (page: Page): number => page.now.getTime() / 1000

const statusOf = ({ status, expires_at }: LicenseView, page: Page): string =>
  status === 'active' && expires_at !== undefined && expires_at <= seconds(page) ? 'expired' : status

function expiry(expiresAt: number | undefined, page: Page): string {
  if (expiresAt === undefined) return 'never'
  const left = expiresAt - seconds(page)
  return left <= 0 ? ago(expiresAt, page) : `in ${duration(left)}`
}

/** Lists the issued licenses. */
export const listLicenses: Handler<object> = async (run) => {
  const answer = await run.operate<{ licenses: readonly LicenseView[] }>('licenses.list', {})
  run.print(answer, (page) => licensesTable(answer.licenses, page))
  if (answer.licenses.length === 0) run.hint('No licenses yet: svc licenses issue makes one.')
}

/** Flags of `svc licenses issue`. */
export interface IssueOptions {
  readonly tenant?: string
  readonly label?: string
  readonly expires?: string
}

/** Issues a license and prints its key, which nobody can print again. */
export const issueLicense: Handler<IssueOptions> = async (run) => {
  const { tenant, label, expires } = run.options
  const input = given({ tenant, label, expires })
  const answer = await run.operate<{ license: LicenseView; key: string }>('licenses.issue', input)
  run.print(answer, (page) => `${licensesTable([answer.license], page)}\nkey  ${plain(answer.key)}\n`)
  run.hint('The key is shown this once: store it now, for example in SERVICE_LICENSE_KEY of the agent.')
}

/** Suspends, reinstates or revokes a license, named by its id or its key. */
export const changeLicense =
  (verb: 'suspend' | 'reinstate' | 'revoke'): Handler<object> =>
  async (run) => {
    const answer = await run.operate<{ license: LicenseView }>(`licenses.${verb}`, { license: run.arg(0) })
    run.print(answer, (page) => licensesTable([answer.license], page))
  }
