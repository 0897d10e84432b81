import type { LicenseView } from '@svc/core'
import type { Command } from 'commander'
import { given, type Handler } from '../program/command-run.ts'
import { idColumn } from '../terminal/id-column.ts'
import { ago, table } from '../terminal/render.ts'
import { plain } from '../terminal/terminal.ts'
import { examples, operating, type Run } from './declare.ts'

/** Declares the commands about the rights of license keys. */
export function declareRestrictions(licenses: Command, run: Run): void {
  const restrict = operating(licenses, 'licenses.restrict', '[license]')
    .option('--all', 'every license whose key may do more')
    .option('--dry-run', "change nothing; show the keys' calls of the last 30 days that would be refused")
    .action(run(async () => restrictLicenses))
  examples(restrict, 'svc licenses restrict --all --dry-run', 'svc licenses restrict "web servers"')
  const open = operating(licenses, 'licenses.unrestrict', '<license>').action(
    run(async () => unrestrictLicense),
  )
  examples(open, 'svc licenses unrestrict "web servers"')
}

/** Flags of `svc licenses restrict`. */
export interface RestrictOptions {
  readonly all?: boolean
  readonly dryRun?: boolean
}

interface Restricted {
  readonly licenses: readonly LicenseView[]
  readonly calls: readonly {
    readonly license: string
    readonly deed: string
    readonly calls: number
    readonly last_at: number
  }[]
}

const keys = (count: number) => (count === 1 ? 'the key of 1 license' : `the keys of ${count} licenses`)

/** Lets keys act for hosts alone, or shows their other recent calls. */
export const restrictLicenses: Handler<RestrictOptions> = async (run) => {
  const { all, dryRun } = run.options
  const input = given({ license: run.args[0], all, dry_run: dryRun })
  const answer = await run.operate<Restricted>('licenses.restrict', input)
  const { licenses, calls } = answer
  const labels = new Map(licenses.map(({ id, label }) => [id, label]))
  run.print(answer, (page) => {
    const said = `${keys(licenses.length)} ${dryRun ? 'would act' : 'act'} for hosts alone\n`
    if (calls.length === 0) return said
    const rows = calls.map(({ license, ...each }) => ({ ...each, id: license }))
    const columns = [
      idColumn(rows, page),
      { title: 'LABEL', text: ({ id }: { id: string }) => labels.get(id) ?? '' },
      { title: 'DID', text: ({ deed }: { deed: string }) => deed },
      { title: 'CALLS', text: (row: { calls: number }) => String(row.calls) },
      { title: 'LAST', text: (row: { last_at: number }) => ago(row.last_at, page) },
    ]
    return `${said}\n${table(columns, rows, page)}`
  })
  if (calls.length > 0)
    run.hint('Whoever made these calls needs an API token of the tenant: docs/api-tokens.md.')
}

/** Lets a key do all that its license may. */
export const unrestrictLicense: Handler<object> = async (run) => {
  const answer = await run.operate<{ license: LicenseView }>('licenses.unrestrict', { license: run.arg(0) })
  run.print(answer, () => `the key of ${plain(answer.license.id)} does all that the license may\n`)
}
