import type { Handler } from '../../program/call.ts'
import { type LicenseView, licensesTable } from './licenses-list.ts'

/** Suspends, reinstates or revokes a license, named by its id or its key. */
export const changeLicense =
  (verb: 'suspend' | 'reinstate' | 'revoke'): Handler<object> =>
  async (call) => {
    const answer = await call.operate<{ license: LicenseView }>(`licenses.${verb}`, { license: call.arg(0) })
    call.print(answer, (page) => licensesTable([answer.license], page))
  }
