import { featureOf } from '../../platform/feature.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { ImageMetrics } from './image-metrics.ts'
import { imageOperations } from './image-operations.ts'
import { Images } from './images.ts'
import * as settings from './settings.ts'

/** The ledger of the images that hosts have captured. */
export const images = featureOf<{ jobs: Jobs }>()({
  settings,
  sql: () => import('./images-store-sql.ts'),
  services: (base, { jobs }): { images: Images } => ({
    images: new Images({ ...base, ...base.config.images, jobs, metrics: new ImageMetrics(base.metrics) }),
  }),
  operations: imageOperations,
  events: ['image.registered'],
  purge: ({ images }) => images.purge(),
})
