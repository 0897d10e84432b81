import { nodeSecurity } from '../node-security/feature.ts'
import { tenants } from '../tenants/feature.ts'
import { webhooks } from '../webhooks/feature.ts'
import { Features } from './feature.ts'
import { type Beside, rest } from './rest.ts'

/** Every feature, in the order in which their services are made. The lists of a plane follow from it. */
export const FEATURES = Features.over<Beside>().with(tenants).with(rest).with(nodeSecurity).with(webhooks)

/** Services that operations use. */
export type Services = Readonly<ReturnType<typeof FEATURES.services>>

/** All operations, by feature. */
export const OPERATIONS = FEATURES.operations
