import type { Handler } from '../../program/call.ts'
import { ago, duration, type Page, stateColour, table } from '../../terminal/render.ts'

/** A license as operations answer it; instants in unix seconds. */
export interface LicenseView {
  readonly id: string
  readonly tenant_id?: string
  readonly label: string
  readonly status: string
  readonly expires_at?: number
  readonly created_at: number
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
export const listLicenses: Handler<object> = async (call) => {
  const answer = await call.operate<{ licenses: readonly LicenseView[] }>('licenses.list', {})
  call.print(answer, (page) => licensesTable(answer.licenses, page))
  if (answer.licenses.length === 0) call.hint('No licenses yet: svc licenses issue makes one.')
}
