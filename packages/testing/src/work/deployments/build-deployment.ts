import type { NewDeployment } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns a deployment of an image; its job must exist in storage. */
export const buildDeployment = (fields: Partial<NewDeployment> = {}): NewDeployment => ({
  id: buildId('dep'),
  licenseId: 'lic_test',
  jobId: 'job_test',
  app: 'shop',
  source: { type: 'image', image: 'shop:1' },
  madeBy: undefined,
  ...fields,
})
