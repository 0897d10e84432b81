import type { Fault } from '../fault.ts'

const APPS = 'packages/core/src/work/apps'
const VARIABLES = `${APPS}/app-variables.ts`
const SQL = `${APPS}/apps-store-sql.ts`
const SERVICE = ['packages/core/test/work/apps/apps.test.ts']
const JOB_ENV = ['packages/core/test/work/jobs/job-env.test.ts']
const RUNS = ['packages/core/test/work/apps/app-runs.test.ts']
const STORE = ['packages/core/test/work/apps/apps-store.test.ts']

/** Mistakes about apps and their variables. */
export const faults: readonly Fault[] = [
  {
    name: 'apps: variables go to any host of the license',
    file: VARIABLES,
    find: 'if (host === undefined || job.target !== host || fingerprint !== host)',
    replace: 'if (host === undefined)',
    suites: SERVICE,
  },
  {
    name: 'apps: variables go with any source',
    file: VARIABLES,
    find: 'if (objectOf(job.payload.source).repo_url !== repoUrl)',
    replace: 'if (repoUrl === undefined)',
    suites: SERVICE,
  },
  {
    name: 'apps: any proved key opens the variables of a host',
    file: VARIABLES,
    find: "typeof proved === 'object' && proved.key === kept",
    replace: "typeof proved === 'object'",
    suites: SERVICE,
  },
  {
    name: 'apps: a proof for another claim opens variables',
    file: VARIABLES,
    find: "const request = claimRequest(claimKey ?? '')",
    replace: "const request = claimRequest('another')",
    suites: SERVICE,
  },
  {
    name: 'apps: a withheld deploy carries the variables all the same',
    file: VARIABLES,
    find: 'if (withheld !== undefined) return { job, env: { withheld } }\n',
    replace: '',
    suites: SERVICE,
  },
  {
    name: 'apps: variables of the app count before those of the job',
    file: VARIABLES,
    find: 'env: { ...env, ...own }',
    replace: 'env: { ...own, ...env }',
    suites: SERVICE,
  },
  {
    name: 'apps: a license key moves the hook of an app with variables',
    file: 'packages/core/src/work/git/git-hooks.ts',
    find: "      if (by === 'license') await requireNoVariables(stores, { licenseId, app }, before, settings)\n      return this",
    replace: '      return this',
    suites: SERVICE,
  },
  {
    name: 'apps: the value of a secret is stored as it is',
    file: `${APPS}/apps.ts`,
    find: 'value: isSecret ? undefined : value,',
    replace: 'value,',
    suites: SERVICE,
  },
  {
    name: 'apps: a rollback goes to a failed commit',
    file: `${APPS}/apps.ts`,
    find: ".filter(({ state }) => state === 'succeeded')",
    replace: '.filter(({ state }) => state !== undefined)',
    suites: SERVICE,
  },
  {
    name: 'apps: a rollback deploys the live commit again',
    file: `${APPS}/apps.ts`,
    find: 'if (to === undefined) return sha !== undefined && sha !== live',
    replace: 'if (to === undefined) return sha !== undefined',
    suites: SERVICE,
  },
  {
    name: 'apps: a restart leaves processes that run alone',
    file: `${APPS}/apps.ts`,
    find: '...(restart ? { restart } : {})',
    replace: '...(restart ? {} : {})',
    suites: RUNS,
  },
  {
    name: 'apps: a redeploy has the source of any license',
    file: 'packages/core/src/work/jobs/new-job.ts',
    find: 'deployments.list({ licenseId, app, limit: 1 })',
    replace: 'deployments.list({ app, limit: licenseId.length })',
    suites: RUNS,
  },
  {
    name: 'apps: production takes hooks of repositories on its hosts',
    file: 'packages/core/src/work/git/git-hook-definition.ts',
    find: '(isTrial ? localAddress(repoUrl) : undefined)',
    replace: 'localAddress(repoUrl)',
    suites: ['packages/core/test/work/git/git-hook.test.ts'],
  },
  {
    name: 'apps: the handler fetches for hooks from its own host',
    file: 'packages/cli/handlers/git.sh',
    find: 'GIT_ALLOW_PROTOCOL=${SVC_LOCAL_REPOSITORIES:+file}',
    replace: 'GIT_ALLOW_PROTOCOL=file',
    suites: ['packages/cli/test/agent/deploy-git-hooks.test.ts'],
  },
  {
    name: 'apps: a repeated deployment names nobody',
    file: 'packages/core/src/work/jobs/jobs.ts',
    find: 'storeJob(stores, job, madeBy, clock.statementTime()))',
    replace: 'storeJob(stores, job, madeBy && undefined, clock.statementTime()))',
    suites: RUNS,
  },
  {
    name: 'apps: a release hides who deployed it',
    file: `${APPS}/app-view.ts`,
    find: "  ...present('by', rest.madeBy),\n",
    replace: '',
    suites: RUNS,
  },
  {
    name: 'apps: the env of a job is stored as it is',
    file: 'packages/core/src/work/jobs/job-env.ts',
    find: 'if (env === undefined || !keyring.isConfigured) return job',
    replace: 'if (env !== undefined || !keyring.isConfigured) return job',
    suites: JOB_ENV,
  },
  {
    name: 'apps: those who may deploy are shown the env of jobs',
    file: 'packages/core/src/work/jobs/job-view.ts',
    find: 'withSecrets ? withoutEnvValues(job.payload)',
    replace: 'withSecrets ? job.payload',
    suites: JOB_ENV,
  },
  {
    name: 'apps: an env that cannot be opened reaches hosts as stars',
    file: VARIABLES,
    find: 'if (job === undefined) return withoutEnv(stored)',
    replace: 'if (job === undefined) return { job: stored, env: {} }',
    suites: JOB_ENV,
  },
  {
    name: 'apps: a repeated job has stars for its env',
    file: 'packages/core/src/work/jobs/jobs.ts',
    find: 'const payload = payloadWithEnv(keyring, old)',
    replace: 'const { payload } = old',
    suites: JOB_ENV,
  },
  {
    name: 'apps: a claim leaves the sealed env in the database',
    file: 'packages/core/src/work/jobs/job-claim-sql.ts',
    find: "  'sealed_env',\n",
    replace: '',
    suites: ['packages/core/test/work/jobs/jobs-store.test.ts'],
  },
  {
    name: 'apps: a test that goes back does not say so',
    file: 'packages/core/src/work/git/git-test.ts',
    find: 'return shas[0] !== sha && shas.includes(sha)',
    replace: 'return shas[0] === sha && shas.length > 1',
    suites: ['packages/core/test/work/git/git-test.test.ts'],
  },
  {
    name: 'apps: a failed stop counts as stopped',
    file: `${APPS}/app-state.ts`,
    find: "app: name, state: 'succeeded', since",
    replace: 'app: name, since',
    suites: RUNS,
  },
  {
    name: 'apps: a failed deployment is started',
    file: `${APPS}/app-state.ts`,
    find: "releases.find(({ state }) => state === 'succeeded')",
    replace: 'releases.find(({ state }) => state !== undefined)',
    suites: RUNS,
  },
  {
    name: 'apps: a license has as many as it likes',
    file: SQL,
    find: 'where (select count(*) from apps where license_id = $2) < $6',
    replace: 'where $6::int is not null',
    suites: STORE,
  },
  {
    name: 'apps: variables of other apps are removed too',
    file: SQL,
    find: 'delete from app_variables where app_id = $1 and name',
    replace: 'delete from app_variables where $1::text is not null and name',
    suites: STORE,
  },
  {
    name: 'apps: a change of variables leaves the revision',
    file: SQL,
    find: 'with revised as (update apps set env_revision = env_revision + 1',
    replace: 'with revised as (update apps set env_revision = env_revision',
    suites: STORE,
  },
  {
    name: 'apps: the output of a deploy shows secrets',
    file: 'packages/cli/src/agent/run/env-secrets.ts',
    find: 'if (!Array.isArray(names) ||',
    replace: 'if (Array.isArray(names) ||',
    suites: ['packages/cli/test/agent/env-secrets.test.ts'],
  },
]
