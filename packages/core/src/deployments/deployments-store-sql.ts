import type { Session } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import { instant } from '../database/values.ts'
import type { JobState } from '../jobs/job.ts'
import type { Deployment } from './deployment.ts'
import type { DeploymentFilter, DeploymentsStore, NewDeployment } from './deployments-store.ts'

export { entities } from './deployment-tables-sql.ts'

interface DeploymentRow {
  readonly id: string
  readonly license_id: string
  readonly job_id: string
  readonly app: string
  readonly source: Readonly<Record<string, unknown>>
  readonly state: JobState
  readonly created_at: string
}

const INSERT = {
  name: 'deployment-add',
  text: `insert into deployments (id, license_id, job_id, app, source, created_at)
    values ($1, $2, $3, $4, $5::jsonb, ${at('$6')})`,
}

const SELECT = 'select d.*, j.state from deployments d join jobs j on j.id = d.job_id'
const GET = { name: 'deployment-get', text: `${SELECT} where d.id = $1` }
const LIST = {
  name: 'deployment-list',
  text: `${SELECT} where ($1::text is null or d.license_id = $1) and ($2::text is null or d.app = $2)
    order by d.id desc limit $3`,
}

const toDeployment = (row: DeploymentRow): Deployment => ({
  id: row.id,
  licenseId: row.license_id,
  jobId: row.job_id,
  app: row.app,
  source: row.source,
  state: row.state,
  createdAt: instant(row.created_at),
})

/** Deployments in SQL; `state` is joined from the job. */
export class SqlDeploymentsStore implements DeploymentsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(deployment: NewDeployment, now?: Date): Promise<void> {
    const { id, licenseId, jobId, app, source } = deployment
    await this.#session.rows(INSERT, [id, licenseId, jobId, app, JSON.stringify(source), now])
  }

  async get(id: string): Promise<Deployment | undefined> {
    const [row] = await this.#session.rows<DeploymentRow>(GET, [id])
    return row === undefined ? undefined : toDeployment(row)
  }

  async list(filter: DeploymentFilter): Promise<readonly Deployment[]> {
    const rows = await this.#session.rows<DeploymentRow>(LIST, [filter.licenseId, filter.app, filter.limit])
    return rows.map(toDeployment)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { deployments: DeploymentsStore } => ({
  deployments: new SqlDeploymentsStore(session),
})
