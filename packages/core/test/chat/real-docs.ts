import { join } from 'node:path'

/** The documentation that comes with svc. */
export const DOCS = join(import.meta.dirname, '../../../../docs')
