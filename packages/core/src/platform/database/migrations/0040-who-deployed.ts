import type { MigrationStep } from './index.ts'

/** The person, token, key or push that made a deployment; those from before do not say. */
export const whoDeployed: MigrationStep = {
  name: '0040-who-deployed',
  sql: ['alter table deployments add column made_by text'],
}
