import type { Fault } from '../fault.ts'

const LICENSES = 'packages/core/src/people/licenses/licenses.ts'
const LICENSE = 'packages/core/src/people/licenses/license.ts'
const JOBS = 'packages/core/src/work/jobs/jobs.ts'
const WAIT = 'packages/core/src/work/jobs/job-wait.ts'
const NAMES = ['packages/core/test/people/licenses/names.test.ts']
const WHY = ['packages/core/test/work/jobs/job-wait.test.ts']

/** Mistakes about the names of licenses, and about which of them get work. */
export const faults: readonly Fault[] = [
  {
    name: 'licenses: the service enqueues under a license that nobody has',
    file: JOBS,
    find: 'await this.#parts.licenses.requireOpen(input.licenseId)',
    replace: 'void input.licenseId',
    suites: NAMES,
  },
  {
    name: 'licenses: a job is done again under a shut license',
    file: JOBS,
    find: 'await this.#parts.licenses.requireOpen(old.licenseId)',
    replace: 'void old.licenseId',
    suites: NAMES,
  },
  {
    name: 'licenses: an expired license is open',
    file: LICENSE,
    find: "expiresAt <= now ? 'expired' : status",
    replace: "expiresAt < new Date(0) ? 'expired' : status",
    suites: NAMES,
  },
  {
    name: 'licenses: a key of the development rules gets work in production',
    file: LICENSES,
    find: "licenseId.startsWith(DEVELOPMENT_PREFIX) && this.mode !== 'development'",
    replace: 'false',
    suites: NAMES,
  },
  {
    name: 'licenses: any text gets work with the development rules',
    file: LICENSES,
    find: '|| (await storage.agents.list(ofLicense(licenseId))).length === 0',
    replace:
      "|| (this.mode !== 'development' && (await storage.agents.list(ofLicense(licenseId))).length === 0)",
    suites: NAMES,
  },
  {
    name: 'licenses: the first of several that a name means is taken',
    file: 'packages/core/src/people/licenses/license-name.ts',
    find: 'if (only === undefined || others.length === 0) return only',
    replace: 'if (only === undefined || others.length >= 0) return only',
    suites: NAMES,
  },
  {
    name: 'licenses: a label goes before a key',
    file: 'packages/core/src/people/licenses/licenses-store-sql.ts',
    find: 'where is_exact or not exists',
    replace: 'where not is_exact or not exists',
    suites: NAMES,
  },
  {
    name: 'licenses: three characters are the end of an id',
    file: 'packages/core/src/people/licenses/license-name.ts',
    find: 'export const MIN_END_CHARS = 4',
    replace: 'export const MIN_END_CHARS = 3',
    suites: NAMES,
  },
  {
    name: 'jobs: why does not say that the license is shut',
    file: WAIT,
    find: 'if (shut !== undefined) reasons.push',
    replace: 'if (shut === undefined) reasons.push',
    suites: WHY,
  },
  {
    name: 'jobs: why takes the jobs of other hosts for those of the busy one',
    file: WAIT,
    find: 'held.filter(({ claimedBy }) => claimedBy === host.fingerprint)',
    replace: 'held.filter(({ claimedBy }) => claimedBy !== undefined)',
    suites: WHY,
  },
]
