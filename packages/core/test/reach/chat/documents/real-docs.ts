import { join } from 'node:path'

/** The folder of the documentation that ships with svc. */
export const DOCS = join(import.meta.dirname, '../../../../../../docs')
