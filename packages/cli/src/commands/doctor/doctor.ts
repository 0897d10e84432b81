import type { LicenseView, SystemReport } from '@svc/core'
import type { CommandRun, Handler } from '../../program/command-run.ts'
import { EXIT, type ExitCode } from '../../terminal/failure.ts'
import { reportTable } from './report-table.ts'

/** Flags of `svc doctor`. */
export interface DoctorOptions {
  readonly local?: boolean
}

/** A report, and sentences of this machine that belong beside it. */
export interface Examination {
  readonly report: SystemReport
  readonly notes: readonly string[]
}

/** Prints the system check of a control plane, or of this machine before there is one. */
export const doctor: Handler<DoctorOptions> = async (run): Promise<ExitCode> => {
  const { report, notes } = run.options.local
    ? await (await import('./local-check.ts')).examineMachine(run)
    : { report: await run.operate<SystemReport>('health.check', {}), notes: [] }
  run.print(report, (page) => reportTable(report.checks, page))
  for (const note of notes) run.hint(note)
  const failed = report.checks.filter(({ status }) => status === 'fail').length
  if (failed > 0)
    run.hint(`${failed} of ${report.checks.length} checks fail; docs/reference/checks.md says more.`)
  if (!run.options.local) await hintAtOpenKeys(run)
  return report.ok ? EXIT.done : EXIT.failed
}

/** Says how many keys could be closed. The report stands without it, also when the database is down. */
async function hintAtOpenKeys(run: CommandRun<DoctorOptions>): Promise<void> {
  type Listed = { readonly licenses: readonly LicenseView[] }
  const listed = await run.operate<Listed>('licenses.list', {}).catch(() => undefined)
  const open = listed?.licenses.filter(({ agent_only, status }) => !agent_only && status !== 'revoked') ?? []
  if (open.length === 0) return
  const keys = open.length === 1 ? 'The key of 1 license does' : `The keys of ${open.length} licenses do`
  run.hint(
    `${keys} more than act for hosts: svc licenses restrict --all --dry-run; docs/security.md lists their rights.`,
  )
}
