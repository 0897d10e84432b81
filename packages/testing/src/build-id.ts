import { FakeIds } from './fake-ids.ts'

const ids = new FakeIds()

/** The next identifier of this process's builders: never the same twice, in the order of their making. */
export const buildId = (prefix: string): string => ids.next(prefix)
