import type { NewDeployment } from '@svc/core'
import { buildId } from '../build-id.ts'

/** A deployment of an image; its job must exist. */
export const buildDeployment = (fields: Partial<NewDeployment> = {}): NewDeployment => ({
  id: buildId('dep'),
  licenseId: 'lic_test',
  jobId: 'job_test',
  app: 'shop',
  source: { type: 'image', image: 'shop:1' },
  ...fields,
})
