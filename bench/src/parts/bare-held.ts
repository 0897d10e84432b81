import type { StartPart } from '../part.ts'
import { bareHttp } from './bare-http.ts'

/** Nothing but `node:http`, which reads each request and never answers. */
export const start: StartPart<null> = () => bareHttp(() => {})
