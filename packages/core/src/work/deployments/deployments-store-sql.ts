import { sql } from 'kysely'
import type { Session } from '../../platform/database/session.ts'
import { atOrNow, isAbsent, present } from '../../platform/database/typed-statement.ts'
import { statement, toDeployment } from './deployment-tables-sql.ts'
import type {
  DeployedApp,
  Deployment,
  DeploymentFilter,
  DeploymentsStore,
  NewDeployment,
} from './deployments-store.ts'

export { entities } from './deployment-tables-sql.ts'

type Added = Omit<NewDeployment, 'source'> & { source: string; now: Date | undefined }
const ADD = statement('deployment-add', (tables, given: Added) =>
  tables.insertInto('deployments').values({
    id: given.id,
    license_id: given.licenseId,
    job_id: given.jobId,
    app: given.app,
    source: sql<Deployment['source']>`${given.source}::jsonb`,
    created_at: atOrNow(given.now),
    made_by: given.madeBy,
  }),
)

const GET = statement('deployment-get', (tables, { id }: { id: string }) =>
  tables
    .selectFrom('deployments as d')
    .innerJoin('jobs as j', 'j.id', 'd.job_id')
    .selectAll('d')
    .select(['j.state', 'j.target'])
    .where('d.id', '=', id),
)
const LIST = statement('deployment-list', (tables, { licenseId, app, limit }: DeploymentFilter) =>
  tables
    .selectFrom('deployments as d')
    .innerJoin('jobs as j', 'j.id', 'd.job_id')
    .selectAll('d')
    .select(['j.state', 'j.target'])
    .where(({ eb, or }) => or([isAbsent(licenseId), eb('d.license_id', '=', present(licenseId))]))
    .where(({ eb, or }) => or([isAbsent(app), eb('d.app', '=', present(app))]))
    .orderBy('d.id', 'desc')
    .limit(limit),
)

const NEWEST_OF = {
  name: 'deployment-newest-of',
  text: `select d.*, j.state, j.target from unnest($1::text[], $2::text[]) as wanted (license_id, app)
    cross join lateral (select * from deployments where license_id = wanted.license_id and app = wanted.app
      order by id desc limit 1) d
    join jobs j on j.id = d.job_id`,
}

/** Deployments in SQL; `state` is joined from the job. */
export class SqlDeploymentsStore implements DeploymentsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(deployment: NewDeployment, now?: Date): Promise<void> {
    await ADD.run(this.#session, { ...deployment, source: JSON.stringify(deployment.source), now })
  }

  async get(id: string): Promise<Deployment | undefined> {
    return (await GET.run(this.#session, { id })).map(toDeployment)[0]
  }

  async list(filter: DeploymentFilter): Promise<readonly Deployment[]> {
    return (await LIST.run(this.#session, filter)).map(toDeployment)
  }

  async newestOf(apps: readonly DeployedApp[]): Promise<readonly Deployment[]> {
    const params = [apps.map(({ licenseId }) => licenseId), apps.map(({ app }) => app)]
    type Row = Pick<Deployment, 'state' | 'target'>
    return (await this.#session.rows<Row>(NEWEST_OF, params)).map(toDeployment)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { deployments: DeploymentsStore } => ({
  deployments: new SqlDeploymentsStore(session),
})
