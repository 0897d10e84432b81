import { FakeIds } from './fake-ids.ts'

const ids = new FakeIds()

/** Returns an identifier that is unique in this process and sorts after all earlier ones. */
export const buildId = (prefix: string): string => ids.next(prefix)
