import { given, type Handler } from '../../program/call.ts'
import { plain } from '../../terminal/terminal.ts'
import { type LicenseView, licensesTable } from './licenses-list.ts'

/** Flags of `svc licenses issue`. */
export interface IssueOptions {
  readonly tenant?: string
  readonly label?: string
  readonly expires?: string
}

/** Issues a license and prints its key, which nobody can print again. */
export const issueLicense: Handler<IssueOptions> = async (call) => {
  const { tenant, label, expires } = call.options
  const input = given({ tenant, label, expires })
  const answer = await call.operate<{ license: LicenseView; key: string }>('licenses.issue', input)
  call.print(answer, (page) => `${licensesTable([answer.license], page)}\nkey  ${plain(answer.key)}\n`)
  call.hint('The key is shown this once: store it now, for example in SERVICE_LICENSE_KEY of the agent.')
}
